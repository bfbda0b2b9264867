// SPDX-License-Identifier: Apache-2.0

/// Listening sockets that a service manager opened before it started this process (systemd's `sd_listen_fds`).
///
/// The manager keeps them open while it replaces the process, so that nobody who connects meanwhile is refused.
struct SocketActivation: Equatable {
  /// Those of the pages.
  private(set) var pages: [Int32] = []
  /// The one whose name is `admin`; nil if there is none.
  private(set) var admin: Int32?

  /// Finds the sockets that the environment announces.
  ///
  /// - Parameters:
  ///   - environment: The process's environment: `LISTEN_FDS`, `LISTEN_PID` and `LISTEN_FDNAMES`.
  ///   - process: The process's id; sockets for another one, such as the one that started this, are not taken.
  /// - Throws: `CommandLineError` if their number cannot be one, or if their names are not those of this server.
  /// - Note: sd_listen_fds_with_names(3).
  init(in environment: [String: String], process: Int32) throws(CommandLineError) {
    guard environment["LISTEN_PID"] == String(process), let text = environment["LISTEN_FDS"] else { return }
    guard let count = Int(text), (1...64).contains(count) else {
      throw CommandLineError(
        "LISTEN_FDS is the number of sockets handed over, 1 to 64, but \"\(text.prefix(80))\" came.")
    }
    let names = environment["LISTEN_FDNAMES"]?.split(separator: ":", omittingEmptySubsequences: false)
    guard names == nil || names?.count == count else {
      throw CommandLineError(
        "LISTEN_FDNAMES has a name for each of the \(count) sockets of LISTEN_FDS, but "
          + "\"\(environment["LISTEN_FDNAMES", default: ""].prefix(80))\" came.")
    }
    // Standard input, output and error come first.
    for (descriptor, name) in zip(Int32(3)..., names ?? Array(repeating: "", count: count)) {
      if name == "admin" {
        guard admin == nil else {
          throw CommandLineError("LISTEN_FDNAMES names two sockets admin; one may be.")
        }
        admin = descriptor
      } else if Self.isOfPages(name) {
        pages.append(descriptor)
      } else {
        throw CommandLineError(
          "LISTEN_FDNAMES names a socket \"\(name.prefix(80))\"; this server knows admin, and public or no name: "
            + "see FileDescriptorName= of its socket's unit.")
      }
    }
  }

  /// Whether a name says nothing else than that the pages' visitors come here: systemd gives the unit's own to a socket
  /// without one, or `unknown`.
  private static func isOfPages(_ name: Substring) -> Bool {
    ["", "public", "unknown"].contains(name) || name.hasSuffix(".socket")
  }
}
