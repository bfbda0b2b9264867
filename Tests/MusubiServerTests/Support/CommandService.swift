// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiSession
import MusubiWire
import Synchronization

/// What services of a test have seen, on all loops.
final class ServiceRecord: Sendable {
  private let state = Mutex<[String]>([])

  func note(_ event: String) { state.withLock { $0.append(event) } }

  var events: [String] { state.withLock { $0 } }
}

/// A service that does what the messages that it gets say, so that a test drives it from outside.
final class CommandService: ConnectionService {
  private let loop: EventLoop
  private unowned let transport: any Transport
  private let record: ServiceRecord
  private var waiting: [ConnectionID: [[UInt8]]] = [:]
  private var floods: [ConnectionID: Int] = [:]
  private var alarm: (time: Duration, connection: ConnectionID)?

  init(loop: EventLoop, transport: any Transport, record: ServiceRecord) {
    self.loop = loop
    self.transport = transport
    self.record = record
    record.note("service on loop \(loop.index)")
  }

  var nextDeadline: Duration? { alarm?.time }

  func admission(of request: inout ConnectionRequest) -> Admission {
    request.screen == "known"
      ? .accepted
      : .refused(status: 404, code: "unknown-screen", message: "There is no screen \"\(request.screen)\".")
  }

  func connect(_ connection: ConnectionID, _ request: ConnectionRequest) {
    waiting[connection] = []
    record.note("connect \(request.query["room"] ?? "-")")
  }

  func receive(_ message: UnsafeRawBufferPointer, isText: Bool, from connection: ConnectionID) {
    let text = String(decoding: message, as: UTF8.self)
    let words = text.split(separator: " ").map(String.init)
    switch words.first {
    case "loop": say("\(loop.index)", to: connection)
    case "close": transport.close(connection, ConnectionEnd(.replaced, "elsewhere"))
    case "goodbye":
      say("last words", to: connection)
      transport.close(connection, ConnectionEnd(.replaced, "elsewhere"))
    case "flood":
      floods[connection] = Int(words[1]) ?? 0
      transport.wake(connection)
    case "alarm": alarm = (loop.now + .milliseconds(Int(words[1]) ?? 0), connection)
    case "isolated":
      loop.preconditionIsolated()
      say("yes", to: connection)
    default: say("\(isText ? "text" : "binary") \(message.count) \(text.prefix(40))", to: connection)
    }
  }

  func disconnect(_ connection: ConnectionID) {
    waiting[connection] = nil
    floods[connection] = nil
    record.note("disconnect")
  }

  func takeBytes(for connection: ConnectionID, limit: Int, into bytes: inout [UInt8]) -> Bool {
    for frame in waiting[connection] ?? [] { bytes += frame }
    waiting[connection] = []
    let start = bytes.count
    while let left = floods[connection], left > 0 {
      guard bytes.count == start || bytes.count - start < limit else { return true }
      bytes += Self.floodFrame
      floods[connection] = left - 1
      if left == 1 { record.note("flood is over") }
    }
    return false
  }

  func advance(to now: Duration) {
    guard let alarm, alarm.time <= now else { return }
    self.alarm = nil
    say("alarm", to: alarm.connection)
  }

  func drain() {
    for connection in waiting.keys { say("draining", to: connection) }
  }

  private func say(_ text: String, to connection: ConnectionID) {
    waiting[connection]?.append(Self.frame(Array(text.utf8)))
    transport.wake(connection)
  }

  /// A text frame of 60,000 characters.
  private static let floodFrame = frame([UInt8](repeating: UInt8(ascii: "x"), count: 60_000))

  private static func frame(_ payload: [UInt8]) -> [UInt8] {
    payload.count < 126
      ? [0x81, UInt8(payload.count)] + payload
      : [0x81, 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)] + payload
  }
}
