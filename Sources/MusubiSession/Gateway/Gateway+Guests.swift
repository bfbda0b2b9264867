// SPDX-License-Identifier: Apache-2.0

/// A connection of another loop whose session lives here.
struct Guest {
  /// Bytes that were handed out and not yet fetched by its socket.
  var bytesUnderWay = 0
  /// How it ends; nil while it does not.
  var end: ConnectionEnd?
  /// Whether it was told so.
  var hasEnded = false
  var isAwake = false
}

// MARK: - Home: connections of other loops

extension Gateway {
  func guestOpened(
    _ id: ConnectionID, of origin: Int, _ request: ConnectionRequest, _ refusal: ResumeRefusal?
  ) {
    let guest = id.guest(of: origin)
    guests[guest] = Guest()
    if let refusal {
      hub.connect(guest, request, instead: refusal)
    } else {
      hub.connect(guest, request)
    }
  }

  func guestClosed(_ id: ConnectionID, of origin: Int) {
    let guest = id.guest(of: origin)
    guard guests.removeValue(forKey: guest) != nil else { return }
    hub.disconnect(guest)
  }

  func guestFetched(_ id: ConnectionID, of origin: Int, _ bytes: Int) {
    let guest = id.guest(of: origin)
    guests[guest]?.bytesUnderWay -= bytes
    wakeGuest(guest)
  }

  private func wakeGuest(_ id: ConnectionID) {
    guard let guest = guests[id], !guest.isAwake else { return }
    guests[id]?.isAwake = true
    awakeGuests.append(id)
  }

  /// Puts what waits for guests into the batches of their loops.
  func handOut() {
    let awake = awakeGuests
    awakeGuests.removeAll(keepingCapacity: true)
    for id in awake {
      guard var guest = guests[id], let outpost = id.outpost else { continue }
      guest.isAwake = false
      defer { guests[id] = guest }
      guard !guest.hasEnded else { continue }
      // Its last bytes go out whatever the window is, since the close frame waits behind them.
      let limit = guest.end == nil ? Self.windowBytes - guest.bytesUnderWay : Self.windowBytes
      guard limit > 0 else { continue }
      let empty = LoopBatch(from: loop)
      var sink = LaneSink(exchange(&lanes[outpost.loop].batch, with: empty), id: outpost.id)
      _ = hub.take(for: id, limit: limit, into: &sink)
      guest.bytesUnderWay += sink.count
      lanes[outpost.loop].batch = sink.batch
      guard let end = guest.end else { continue }
      guest.hasEnded = true
      lanes[outpost.loop].batch.items.append(.close(outpost.id, end))
    }
  }
}

// MARK: - What the hub asks for

extension Gateway: Transport {
  package func wake(_ id: ConnectionID) {
    if id.outpost == nil { transport.wake(id) } else { wakeGuest(id) }
  }

  package func close(_ id: ConnectionID, _ reason: ConnectionEnd) {
    guard id.outpost != nil else {
      transport.close(id, reason)
      return
    }
    guests[id]?.end = reason
    wakeGuest(id)
  }

  package func setReading(_ id: ConnectionID, _ isReading: Bool) {
    guard let outpost = id.outpost else {
      transport.setReading(id, isReading)
      return
    }
    lanes[outpost.loop].batch.items.append(.reading(outpost.id, isReading))
  }
}

extension Gateway: Placement {
  func moves(_ id: ConnectionID, _ request: ConnectionRequest, _ refusal: ResumeRefusal) -> Bool {
    let outpost = id.outpost
    let home = home(of: request, from: outpost?.loop ?? loop)
    guard home != loop else { return false }
    if let outpost {
      guests[id] = nil
      lanes[outpost.loop].batch.items.append(.moved(outpost.id, refusal))
    } else {
      outposts[id] = Outpost(home: home, request: request, isResuming: false)
      lanes[home].batch.items.append(.opened(id, request, refusal: refusal))
    }
    return true
  }
}

/// Replaces a value and gives the old one back, so that it is never copied.
private func exchange<Value>(_ value: inout Value, with new: consuming Value) -> Value {
  var old = new
  swap(&old, &value)
  return old
}
