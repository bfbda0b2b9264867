// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets
import Glibc

/// What the process asks of the system before it serves.
package enum ProcessLimits {
  /// More would only cost: libwebsockets keeps tables of this length, 16 bytes each, for every loop.
  private static let mostOpenFiles: rlim_t = 262_144

  /// How many files and sockets the process may have open.
  static var openFiles: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// How many cores the process may run on, as `taskset` and containers' cpusets limit them; at least 1, at most 64.
  package static var cores: Int { min(64, max(1, Int(musubi_cores()))) }

  /// Allows as many open files as the system grants to this user, up to 262,144.
  package static func raiseOpenFiles() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    let wanted = min(limit.rlim_max, mostOpenFiles)
    guard limit.rlim_cur < wanted else { return }
    limit.rlim_cur = wanted
    // A refusal leaves the old limit, with which the server works, too.
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// A write to a socket that the peer has closed is an error of that write, not the end of the process.
  package static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
}
