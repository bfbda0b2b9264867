// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiSession

/// Writes what happens in rooms and sessions into the log.
struct NoticeLog {
  let logger: Logger
  /// Whether each input and each turn gets a line: for authors only, since it shows what people type.
  let logsTraffic: Bool

  /// What the loops call.
  var observer: (Notice) -> Void {
    { [self] notice in
      switch notice {
      case .input(let screen, let room, let session, let name, let detail):
        guard logsTraffic else { return }
        logger.log(
          .info, "input",
          [
            "screen": screen, "room": room, "session": String(session.prefix(6)), "name": name,
            "value": ReadableJSON().shortened(detail()),
          ])
      case .turn(let screen, let room, let frame):
        guard logsTraffic else { return }
        let turn = ReadableJSON().turn(frame)
        logger.log(
          .info, "turn",
          ["screen": screen, "room": room, "sequence": turn.sequence, "changes": turn.changes])
      case .refused(let session, let code, let message):
        logger.log(
          .info, "refused", ["session": String(session.prefix(6)), "code": code, "message": message])
      case .storeFailed(let message):
        logger.log(.error, "store failed", ["message": message])
      case .storeRecovered:
        logger.log(.info, "store recovered", [:])
      case .slowedDown(let session):
        logger.log(.debug, "slowed down", ["session": String(session.prefix(6))])
      case .authorizationFailed(let screen, let message):
        logger.log(.warning, "authorize failed", ["screen": screen, "message": String(message.prefix(200))])
      case .failed(let screen, let message):
        logger.log(.error, "screen failed", ["screen": screen, "message": message])
      }
    }
  }
}
