// SPDX-License-Identifier: Apache-2.0

/// Listening sockets that a service manager opened before it started this process (systemd's `sd_listen_fds`).
///
/// The manager keeps them open while it replaces the process, so that nobody who connects meanwhile is refused.
enum SocketActivation {
  /// The descriptors that the environment announces.
  ///
  /// - Parameters:
  ///   - environment: The process's environment: `LISTEN_FDS` and `LISTEN_PID`.
  ///   - process: The process's id.
  /// - Returns: None if there are none, or if they are for the process that started this one.
  /// - Throws: `CommandLineError` if their number cannot be one.
  static func descriptors(
    in environment: [String: String], process: Int32
  ) throws(CommandLineError) -> [Int32] {
    guard environment["LISTEN_PID"] == String(process), let text = environment["LISTEN_FDS"] else {
      return []
    }
    guard let count = Int32(text), (1...64).contains(count) else {
      throw CommandLineError(
        "LISTEN_FDS is the number of sockets handed over, 1 to 64, but \"\(text.prefix(80))\" came.")
    }
    // Standard input, output and error come first.
    return (0..<count).map { 3 + $0 }
  }
}
