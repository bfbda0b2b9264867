// SPDX-License-Identifier: Apache-2.0
import MusubiClient
import MusubiWire

/// A page that a script has opened, with what came that is not state.
final class ScriptClient {
  /// An error frame that no step has asked for yet.
  struct ReportedError {
    let code: String
    let message: String
  }

  let name: String
  let connection: ClientConnection
  /// The path as the script gave it, for `open … like`.
  let target: String
  let options: ClientConnection.Options
  /// The field that has the caret; typing into another one selects all of it first, as the Tab key does.
  var focus: ScriptField?
  var errors: [ReportedError] = []
  var events: [(name: String, value: Value?)] = []
  /// The inputs that are on their way, oldest first, if somebody measures.
  var underWay: [SentInput] = []
  /// The number of the newest input that was among them.
  var lastNoted = 0
  private(set) var resumed: ResumeKind?
  private(set) var pongs: Set<Int> = []
  private(set) var frames: [String] = []

  private static let keptFrames = 12

  init(
    name: String, server: ServerAddress, target: String, options: ClientConnection.Options,
    trace: ((String) -> Void)?
  ) {
    self.name = name
    self.target = target
    self.options = options
    connection = ClientConnection(server: server, target: "/live\(target)", options: options)
    connection.onTrace = { [unowned self] frame in
      let line = "\(frame.direction == .sent ? ">" : "<") \(frame.text)"
      frames.append(line)
      if frames.count > Self.keptFrames { frames.removeFirst() }
      trace?("\(name) \(line)")
    }
  }

  /// Opens a connection, with a session or without one.
  func connect() throws(StepFailure) {
    do throws(ClientError) {
      try connection.connect()
    } catch {
      throw StepFailure("\(name): \(error)")
    }
    resumed = nil
    pongs = []
  }

  /// Sorts what the frames brought.
  func takeNotices() {
    for notice in connection.notices {
      switch notice {
      case .error(let code, let message, _): errors.append(ReportedError(code: code, message: message))
      case .event(let name, let value): events.append((name, value))
      case .pong(let number): pongs.insert(number)
      case .resumed(.patches): resumed = .patches
      case .resumed(.snapshot): resumed = .snapshot
      case .resumed(.afresh): resumed = .afresh
      case .began, .visitorChanged, .snapshot, .turn, .reload: break
      }
    }
    connection.notices.removeAll()
  }

  /// The connection's doing, for messages.
  var situation: String {
    switch connection.status {
    case .idle: "not connected"
    case .connecting: "still connecting"
    case .open: "connected"
    case .refused(let refusal): refusal.description
    case .closed(let code, let reason): "closed \(code)\(reason.isEmpty ? "" : " (\(reason))")"
    }
  }

  /// The lines that tell a reader what this page has seen last.
  var report: [String] {
    var lines = ["\(name) is \(situation), \(connection.session.unconfirmed.count) pending"]
    if !errors.isEmpty {
      lines.append(
        "errors of \(name): " + errors.map { "\($0.code) (\($0.message))" }.joined(separator: ", "))
    }
    lines.append("last frames of \(name):")
    return lines + frames.map { "  \($0.count > 400 ? $0.prefix(400) + "…" : $0[...])" }
  }
}
