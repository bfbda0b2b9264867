// SPDX-License-Identifier: Apache-2.0
package import MusubiSession
package import MusubiWire

/// A line's conditions as a page's address says them: `?musubi-latency=300&musubi-jitter=50&musubi-loss=5`.
extension LineConditions {
  private static let names = ["musubi-latency", "musubi-jitter", "musubi-loss"]
  /// A page gives a connection up whose ping takes ten seconds to come back.
  package static let maxMilliseconds = 2_000

  /// The line that an address asks for; nil if it asks for none.
  ///
  /// - Parameter query: The address's parameters; the first two are milliseconds, at most 2,000, the last is per cent, at
  ///   most 90.
  /// - Throws: `LineError` with one sentence.
  init?(_ query: [String: String]) throws(LineError) {
    guard Self.names.contains(where: { query[$0] != nil }) else { return nil }
    var numbers: [Int] = []
    for (name, most) in zip(Self.names, [Self.maxMilliseconds, Self.maxMilliseconds, Self.maxLoss]) {
      guard let number = Int(query[name] ?? "0"), (0...most).contains(number) else {
        throw LineError(description: "\(name) is a whole number from 0 to \(most).")
      }
      numbers.append(number)
    }
    self.init(
      latency: .milliseconds(numbers[0]), jitter: .milliseconds(numbers[1]), loss: numbers[2])
  }

  /// What the address of a page says.
  package var query: String {
    "musubi-latency=\(Self.milliseconds(latency))&musubi-jitter=\(Self.milliseconds(jitter))&musubi-loss=\(loss)"
  }

  /// The request without what is about the line.
  static func without(_ request: ConnectionRequest) -> ConnectionRequest {
    var request = request
    for name in names { request.query[name] = nil }
    return request
  }

  private static func milliseconds(_ duration: Duration) -> Int { Int(duration / .milliseconds(1)) }
}

/// A line that an address asks for, and that cannot be.
struct LineError: Error {
  let description: String
}

/// Delays what pages send and get whose addresses ask for a slow line; for authors.
package final class SlowLines: ConnectionService {
  private let service: any ConnectionService
  private let now: () -> Duration
  private let random: (Int) -> Int
  /// Those on which something is on its way.
  private var busy: [ObjectIdentifier: SlowLine] = [:]

  /// The lines of a loop.
  ///
  /// - Parameters:
  ///   - service: What the loop serves.
  ///   - now: The loop's clock.
  ///   - random: A number from 0 on and below its argument.
  package init(
    _ service: any ConnectionService, now: @escaping () -> Duration,
    random: @escaping (Int) -> Int = { .random(in: 0..<$0) }
  ) { (self.service, self.now, self.random) = (service, now, random) }

  package func admit(_ request: ConnectionRequest, then decide: @escaping (Admission) -> Void) {
    do throws(LineError) {
      _ = try LineConditions(request.query)
      service.admit(request, then: decide)
    } catch {
      decide(.refused(status: 400, code: "bad-request", message: error.description))
    }
  }

  package func connect(
    _ request: ConnectionRequest, _ connection: any ConnectionHandle
  ) -> any ConnectionHandler {
    let conditions: LineConditions?
    do throws(LineError) { conditions = try LineConditions(request.query) } catch { conditions = nil }
    guard let conditions else { return service.connect(request, connection) }
    let line = SlowLine(conditions, connection, self)
    line.handler = service.connect(LineConditions.without(request), line)
    return line
  }

  package var nextDeadline: Duration? {
    busy.values.reduce(service.nextDeadline) { .earlier($0, $1.nextDeadline) }
  }

  package func advance(to now: Duration) {
    for line in busy.values { line.advance(to: now) }
    if let deadline = service.nextDeadline, deadline <= now { service.advance(to: now) }
  }

  package func finishTurns() { service.finishTurns() }
  package func endIteration() { service.endIteration() }
  package func suspectIteration() { service.suspectIteration() }
  package func end() { service.end() }
  package var ledger: MemoryLedger? { service.ledger }

  /// When a message arrives that a line takes now.
  fileprivate func arrival(_ conditions: LineConditions) -> Duration {
    now() + conditions.travelTime(random: random)
  }

  fileprivate var time: Duration { now() }

  fileprivate func note(_ line: SlowLine) {
    busy[ObjectIdentifier(line)] = line.nextDeadline == nil ? nil : line
  }
}

/// One slow line, between a connection and who serves it.
private final class SlowLine: ConnectionHandler, ConnectionHandle {
  /// Something on its way.
  private struct Parcel {
    let due: Duration
    let bytes: [UInt8]
    var isText = true
  }

  var handler: (any ConnectionHandler)?
  private let conditions: LineConditions
  private weak var connection: (any ConnectionHandle)?
  private unowned let lines: SlowLines
  private var incoming: [Parcel] = []
  private var outgoing: [Parcel] = []
  /// Whether nothing is delayed any more: it ends.
  private var isEnding = false
  /// Whether the connection was told that something is due, and has not fetched it: it waits for the page to read.
  private var isWoken = false

  init(_ conditions: LineConditions, _ connection: any ConnectionHandle, _ lines: SlowLines) {
    (self.conditions, self.connection, self.lines) = (conditions, connection, lines)
  }

  var nextDeadline: Duration? { .earlier(incoming.first?.due, isWoken ? nil : outgoing.first?.due) }

  func advance(to now: Duration) {
    arrive(through: now)
    if let parcel = outgoing.first, parcel.due <= now, !isWoken {
      isWoken = true
      connection?.wake()
    }
    lines.note(self)
  }

  /// Hands over what has arrived.
  private func arrive(through now: Duration) {
    while let parcel = incoming.first, parcel.due <= now {
      incoming.removeFirst()
      parcel.bytes.withUnsafeBytes { handler?.receive($0, isText: parcel.isText) }
    }
  }

  // MARK: - For the connection

  func receive(_ message: UnsafeRawBufferPointer, isText: Bool) {
    incoming.append(Parcel(due: due(behind: incoming), bytes: Array(message), isText: isText))
    lines.note(self)
  }

  func write(into bytes: inout ByteBuffer, limit: Int) -> Bool {
    isWoken = false
    var own = ByteBuffer()
    while handler?.write(into: &own, limit: limit) == true {}
    if own.count > 0 {
      outgoing.append(Parcel(due: due(behind: outgoing), bytes: Array(own)))
    }
    let (start, now) = (bytes.count, lines.time)
    var isMore = false
    while let parcel = outgoing.first, isEnding || parcel.due <= now {
      isMore = bytes.count > start && bytes.count - start >= limit
      if isMore { break }
      bytes.append(contentsOf: parcel.bytes)
      outgoing.removeFirst()
    }
    lines.note(self)
    return isMore
  }

  func buffered(_ bytes: Int) { handler?.buffered(bytes) }

  func closed(saidFarewell: Bool) {
    // It comes before the end, as on any line.
    arrive(through: incoming.last?.due ?? .zero)
    (incoming, outgoing) = ([], [])
    lines.note(self)
    handler?.closed(saidFarewell: saidFarewell)
    handler = nil
  }

  /// Nothing overtakes what was sent before.
  private func due(behind parcels: [Parcel]) -> Duration {
    max(parcels.last?.due ?? .zero, lines.arrival(conditions))
  }

  // MARK: - For who serves it

  func wake() { connection?.wake() }

  func close(_ end: ConnectionEnd) {
    isEnding = true
    connection?.close(end)
  }

  func setReading(_ isReading: Bool) { connection?.setReading(isReading) }

  func served() { connection?.served() }

  func returned() { connection?.returned() }

  func beginsElsewhere(_ request: ConnectionRequest, _ refusal: ResumeRefusal) -> Bool {
    connection?.beginsElsewhere(request, refusal) ?? false
  }
}
