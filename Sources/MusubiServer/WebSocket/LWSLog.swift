// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets
import MusubiSession
import Synchronization

/// Leads the library's own complaints, which are the process's and no context's, to a logger.
enum LWSLog {
  private static let logger = Mutex<Logger?>(nil)
  /// Says which lines are told: one of each text in a second.
  private static let lines = Refusals()

  /// Sends the library's errors and warnings to a logger from now on.
  static func redirect(to logger: Logger) {
    Self.logger.withLock { $0 = logger }
    musubi_set_log { level, line in
      guard let line else { return }
      let text = String(cString: line).trimmed
      let trimmed = text.last == "\n" ? text.dropLast() : text
      LWSLog.write(String(trimmed), isError: level == 1)
    }
  }

  private static func write(_ line: String, isError: Bool) {
    let logger = Self.logger.withLock { $0 }
    guard let logger, let count = lines.tell("libwebsockets", of: line, at: MonotonicTime.now) else { return }
    logger.log(isError ? .warning : .debug, "libwebsockets", ["message": line, "count": "\(count)"])
  }
}
