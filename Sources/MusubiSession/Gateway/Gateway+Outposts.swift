// SPDX-License-Identifier: Apache-2.0
import MusubiWire

// MARK: - The accepting loop: connections that are served here or elsewhere

extension Gateway: ConnectionService {
  package func admission(of request: inout ConnectionRequest) -> Admission { hub.admission(of: &request) }

  package func connect(_ id: ConnectionID, _ request: ConnectionRequest) {
    if request.query["resume"] == "1" {
      // The hub keeps the deadline of the frame that tells where the session is.
      undecided.insert(id)
      hub.connect(id, request)
      return
    }
    let home = home(of: request, from: loop)
    guard home != loop else {
      hub.connect(id, request)
      return
    }
    outposts[id] = Outpost(home: home, request: request, isResuming: false)
    lanes[home].batch.items.append(.opened(id, request, refusal: nil))
  }

  package func receive(_ message: UnsafeRawBufferPointer, isText: Bool, from id: ConnectionID) {
    if !undecided.isEmpty, undecided.remove(id) != nil, resumesElsewhere(id, message, isText: isText) {
      return
    }
    guard !outposts.isEmpty, let outpost = outposts[id] else {
      hub.receive(message, isText: isText, from: id)
      return
    }
    if outpost.held == nil {
      forward(message, isText: isText, from: id, outpost)
    } else {
      outpost.held?.append((Array(message), isText))
    }
  }

  package func disconnect(_ id: ConnectionID) {
    undecided.remove(id)
    guard let outpost = outposts.removeValue(forKey: id) else {
      hub.disconnect(id)
      return
    }
    lanes[outpost.home].batch.items.append(.closed(id))
  }

  package func takeBytes(for id: ConnectionID, limit: Int, into bytes: inout [UInt8]) -> Bool {
    guard !outposts.isEmpty, let outpost = outposts[id] else {
      return hub.takeBytes(for: id, limit: limit, into: &bytes)
    }
    let hasMore = outpost.take(limit: limit, into: &bytes)
    if outpost.untoldBytes >= Self.windowBytes / 2 {
      lanes[outpost.home].batch.items.append(.fetched(id, bytes: outpost.untoldBytes))
      outpost.untoldBytes = 0
    }
    return hasMore
  }

  package var nextDeadline: Duration? { hub.nextDeadline }

  package func advance(to now: Duration) { hub.advance(to: now) }

  package func finishTurns() { hub.finishTurns() }

  package func drain() { hub.drain() }
}

extension Gateway {
  /// Passes a `resume` frame on, if it is one of a session that lives on another loop.
  private func resumesElsewhere(
    _ id: ConnectionID, _ message: UnsafeRawBufferPointer, isText: Bool
  ) -> Bool {
    let home: Int
    do throws(WireError) {
      guard isText, case .resume(let resume) = try ClientFrame(json: message) else { return false }
      let named = moved[resume.session] ?? Hub.loop(ofSession: resume.session)
      guard let named, named != loop, named < loops else {
        return false
      }
      home = named
    } catch {
      // The hub reads it again, and tells the page what is wrong with it.
      return false
    }
    guard let request = hub.connections[id]?.request else { return false }
    hub.disconnect(id)
    let outpost = Outpost(home: home, request: request, isResuming: true)
    outposts[id] = outpost
    lanes[home].batch.items.append(.opened(id, request, refusal: nil))
    forward(message, isText: isText, from: id, outpost)
    // Until it is known who answers, nothing is read but what has arrived together with the frame.
    transport.setReading(id, false)
    return true
  }

  private func forward(
    _ message: UnsafeRawBufferPointer, isText: Bool, from id: ConnectionID, _ outpost: Outpost
  ) {
    lanes[outpost.home].append(message, isText: isText, from: id)
    guard !outpost.isPaused, lanes[outpost.home].mustPause(id, after: message.count, &outpost.window) else {
      return
    }
    outpost.isPaused = true
    transport.setReading(id, false)
  }

  /// The other loop has handled messages of connections from here.
  func handled(_ bytes: Int, by other: Int) {
    guard bytes > 0 else { return }
    for id in lanes[other].resume(handled: bytes) {
      guard let outpost = outposts[id], outpost.home == other else { continue }
      outpost.isPaused = false
      transport.setReading(id, outpost.isRead)
    }
  }

  /// Home has something for a connection.
  func arrived(at id: ConnectionID, from home: Int, _ append: (Outpost) -> Void) {
    guard let outpost = outposts[id], outpost.home == home else { return }
    append(outpost)
    release(id, outpost)
    transport.wake(id)
  }

  /// The session that a connection wanted to resume does not exist: it begins one where its room is.
  func move(_ id: ConnectionID, _ refusal: ResumeRefusal) {
    guard let outpost = outposts[id] else { return }
    let home = home(of: outpost.request, from: loop)
    outpost.isPaused = false
    outpost.window = LaneWindow()
    if home == loop {
      outposts[id] = nil
      hub.connect(id, outpost.request, instead: refusal)
    } else {
      outpost.home = home
      lanes[home].batch.items.append(.opened(id, outpost.request, refusal: refusal))
    }
    release(id, outpost)
  }

  /// It is known who serves a connection: what was held goes there.
  private func release(_ id: ConnectionID, _ outpost: Outpost) {
    guard let held = outpost.held else { return }
    outpost.held = nil
    transport.setReading(id, outpost.isRead)
    for message in held { message.bytes.withUnsafeBytes { receive($0, isText: message.isText, from: id) } }
  }
}
