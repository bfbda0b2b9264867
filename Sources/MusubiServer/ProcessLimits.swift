// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets
import Glibc

/// What the process asks of the system before it serves.
package enum ProcessLimits {
  /// Descriptors beside those of WebSockets: plain requests, and whatever the application opens.
  private static let spareFiles = 8_192
  /// Whatever is configured: systems grant no more descriptors than a million.
  private static let mostConnections = 1_000_000

  /// How many files and sockets the process may have open.
  static var openFiles: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// How many cores the process may run on, as `taskset` and containers' cpusets limit them; at least 1, at most 64.
  package static var cores: Int { min(64, max(1, Int(musubi_cores()))) }

  /// Allows as many open files as so many WebSockets need, as far as the system grants them to this user.
  ///
  /// More would cost: libwebsockets keeps tables of this length for every loop, 16 bytes each, and with its assertions, as
  /// Debian builds it, looks through one of them for each socket that comes and for each that goes.
  package static func raiseOpenFiles(for connections: Int) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    let wanted = min(limit.rlim_max, rlim_t(max(0, min(connections, mostConnections)) + spareFiles))
    guard limit.rlim_cur < wanted else { return }
    limit.rlim_cur = wanted
    // A refusal leaves the old limit, with which the server works, too.
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// A write to a socket that the peer has closed is an error of that write, not the end of the process.
  package static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
}
