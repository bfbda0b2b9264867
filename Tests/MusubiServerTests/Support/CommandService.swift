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
  private let record: ServiceRecord
  let ledger: MemoryLedger?
  fileprivate var alarm: (time: Duration, handler: CommandHandler)?

  /// A service; `memory` is the loop's budget in bytes.
  init(loop: EventLoop, record: ServiceRecord, memory: Int? = nil) {
    self.loop = loop
    self.record = record
    ledger = MemoryLedger(limit: memory, connectionBytes: 2_000)
    record.note("service on loop \(loop.index)")
  }

  var nextDeadline: Duration? { alarm?.time }

  func admit(_ request: ConnectionRequest, then decide: @escaping (Admission) -> Void) {
    if request.screen == "limited-later" {
      let decide = LoopBound(decide, on: loop)
      _ = loop.enqueue { decide.value(.limited(.connections, request.peers)) }
      return
    }
    decide(
      request.screen == "known"
        ? .accepted(request)
        : .refused(
          status: 404, code: "unknown-screen", message: "There is no screen \"\(request.screen)\"."))
  }

  func connect(
    _ request: ConnectionRequest, _ connection: any ConnectionHandle
  ) -> any ConnectionHandler {
    if let user = request.headers["x-forwarded-user"] { record.note("user \(user)") }
    record.note("connect \(request.query["room"] ?? "-")")
    return CommandHandler(connection, self, loop, record)
  }

  func advance(to now: Duration) {
    guard let alarm, alarm.time <= now else { return }
    self.alarm = nil
    alarm.handler.say("alarm")
  }
}

/// Serves one connection of a `CommandService`.
private final class CommandHandler: ConnectionHandler {
  private unowned let connection: any ConnectionHandle
  private unowned let service: CommandService
  private let loop: EventLoop
  private let record: ServiceRecord
  private var waiting: [UInt8] = []
  private var flood = 0

  init(
    _ connection: any ConnectionHandle, _ service: CommandService, _ loop: EventLoop, _ record: ServiceRecord
  ) {
    self.connection = connection
    self.service = service
    self.loop = loop
    self.record = record
  }

  func receive(_ message: UnsafeRawBufferPointer, isText: Bool) {
    let text = String(decoding: message, as: UTF8.self)
    let words = text.split(separator: " ").map(String.init)
    switch words.first {
    case "loop": say("\(loop.index)")
    case "bytes": say("\(service.ledger?.total ?? -1)")
    case "close": connection.close(ConnectionEnd(.replaced, "elsewhere"))
    case "close-slowly":
      connection.close(ConnectionEnd(.replaced, "elsewhere"))
      beBusy(words)
    case "busy":
      record.note("busy on loop \(loop.index)")
      beBusy(words)
    case "goodbye":
      say("last words")
      connection.close(ConnectionEnd(.replaced, "elsewhere"))
    case "flood":
      flood = Int(words[1]) ?? 0
      connection.wake()
    case "alarm": service.alarm = (loop.now + .milliseconds(Int(words[1]) ?? 0), self)
    case "isolated":
      loop.preconditionIsolated()
      say("yes")
    default: say("\(isText ? "text" : "binary") \(message.count) \(text.prefix(40))")
    }
  }

  /// The iteration takes that many milliseconds.
  private func beBusy(_ words: [String]) {
    let end = loop.now + .milliseconds(Int(words[1]) ?? 0)
    while loop.now < end {}
  }

  func buffered(_ bytes: Int) { record.note(bytes > 20_000 ? "holds much" : "holds little") }

  func closed(saidFarewell: Bool) { record.note("disconnect") }

  func write(into bytes: inout ByteBuffer, limit: Int) -> Bool {
    bytes.append(contentsOf: waiting)
    waiting = []
    let start = bytes.count
    while flood > 0 {
      guard bytes.count == start || bytes.count - start < limit else { return true }
      bytes.append(contentsOf: Self.floodFrame)
      flood -= 1
      if flood == 0 { record.note("flood is over") }
    }
    return false
  }

  func say(_ text: String) {
    waiting += Self.frame(Array(text.utf8))
    connection.wake()
  }

  /// A text frame of 60,000 characters.
  private static let floodFrame = frame([UInt8](repeating: UInt8(ascii: "x"), count: 60_000))

  private static func frame(_ payload: [UInt8]) -> [UInt8] {
    payload.count < 126
      ? [0x81, UInt8(payload.count)] + payload
      : [0x81, 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)] + payload
  }
}
