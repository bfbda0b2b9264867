// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiSession

/// Writes what happens in rooms and sessions into the log.
struct NoticeLog {
  let logger: Logger
  /// Whether each input and each turn gets a line: for authors only, since it shows what people type.
  let logsTraffic: Bool
  /// Counts refusals, and says which of them are told.
  let refusals: Refusals
  let clock: () -> Duration

  /// What the loops call.
  var observer: (Notice) -> Void {
    { [self] notice in
      switch notice {
      case .input(let screen, let room, let session, let name, let row, let detail):
        guard logsTraffic else { return }
        let place = [
          ("screen", screen), ("room", room), ("session", String(session.prefix(6))), ("name", name),
        ]
        let inRow = row.isEmpty ? [] : [("row", row.joined(separator: "/"))]
        logger.log(.info, "input", place + inRow + [("value", ReadableJSON().shortened(detail()))])
      case .turn(let screen, let room, let frame):
        guard logsTraffic else { return }
        let turn = ReadableJSON().turn(frame)
        logger.log(
          .info, "turn",
          ["screen": screen, "room": room, "sequence": turn.sequence, "changes": turn.changes])
      case .refused(let refused): log(refused)
      case .longTurn(let turn):
        logger.log(
          .warning, "long turn",
          [
            "screen": turn.screen, "room": turn.room, "session": String(turn.session.prefix(6)),
            "peer": turn.peer?.text ?? "", "input": turn.input, "number": "\(turn.number)",
            "milliseconds": "\(Int(turn.duration / .milliseconds(1)))",
          ])
      case .storeFailed(let message):
        logger.log(.error, "store failed", ["message": message])
      case .recordsEnded(let count, let bytes):
        logger.log(.warning, "store shed", ["records": "\(count)", "bytes": "\(bytes)"])
      case .storeRecovered:
        logger.log(.info, "store recovered", [:])
      case .slowedDown(let session, let peer):
        logger.log(
          .debug, "slowed down", ["session": String(session.prefix(6)), "peer": peer?.text ?? ""])
      case .shed(let count, let bytes):
        tell(.warning, "memory freed", of: "", [("gone", "\(count)"), ("bytes", "\(bytes)")])
      case .authorizationFailed(let screen, let peer, let message):
        let peer = peer?.text ?? ""
        tell(
          .warning, "authorize failed", of: peer, [("screen", screen), ("peer", peer), ("message", message)])
      case .failed(let failed):
        let (session, peer) = (String(failed.session.prefix(6)), failed.peer?.text ?? "")
        tell(
          .error, "screen failed", of: peer.isEmpty ? session : peer,
          [
            ("screen", failed.screen), ("room", failed.room), ("session", session), ("peer", peer),
            ("message", failed.message),
          ])
      }
    }
  }

  /// Tells of what visitors can bring about as often as they want: once a second for each of them, with a count.
  private func tell(
    _ level: Logger.Level, _ event: String, of peer: String, _ fields: [(String, String)]
  ) {
    guard let count = refusals.tell(event, of: peer, at: clock()) else { return }
    logger.log(level, event, fields.filter { !$1.isEmpty } + [("count", "\(count)")])
  }

  private func log(_ refused: Notice.Refused) {
    let session = String(refused.session.prefix(6))
    let peer = refused.peer?.text ?? ""
    let who = [("session", session), ("peer", peer)].filter { !$1.isEmpty }
    guard let count = refusals.count(refused.reason, of: peer.isEmpty ? session : peer, at: clock()) else {
      return
    }
    logger.log(
      .info, "refused",
      [("code", refused.reason)] + who + [("message", refused.message), ("count", "\(count)")])
  }
}

/// Tells of what came while it was not to be told: the last second of a flood, after which nothing comes.
struct UntoldLog: Sendable {
  let logger: Logger
  let refusals: Refusals

  /// Looks once a second until its task is cancelled, and then once more.
  func run() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: .seconds(1))
      tell(at: MonotonicTime.now, isLast: Task.isCancelled)
    }
  }

  func tell(at now: Duration, isLast: Bool = false) {
    for told in refusals.takeUntold(at: now, isLast: isLast) {
      let peer = told.peer.isEmpty ? [] : [("peer", told.peer)]
      logger.log(.info, "repeated", [("reason", told.reason)] + peer + [("count", "\(told.count)")])
    }
  }
}

extension Server {
  /// Tells of it as long as the server runs.
  func tellUntold(in logger: Logger) {
    let untold = UntoldLog(logger: logger, refusals: ledger.refusals)
    keep(Task.detached(priority: .utility) { await untold.run() })
  }
}
