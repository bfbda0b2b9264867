// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets
import Glibc

/// What the process asks of the system before it serves.
package enum ProcessLimits {
  /// Descriptors beside those of WebSockets: plain requests, and whatever the application opens.
  private static let spareFiles = 8_192
  /// Whatever is configured: systems grant no more descriptors than a million.
  private static let maxConnections = 1_000_000

  /// How many files and sockets the process may have open.
  package static var openFiles: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// How many cores the process may run on, as `taskset` and containers' cpusets limit them; at least 1, at most 64.
  package static var cores: Int { min(64, max(1, Int(musubi_cores()))) }

  /// Allows as many open files as so many WebSockets need, as far as the system grants them to this user.
  ///
  package static func raiseOpenFiles(for connections: Int) {
    let wanted = files(for: connections)
    // A refusal leaves the old limit, with which the server works, too.
    if openFiles < wanted { allowOpenFiles(wanted) }
  }

  /// Calls a function that makes contexts of libwebsockets, while no more files may be open than so many WebSockets need.
  ///
  /// The library makes tables as long as the limit, 16 bytes each, and with its assertions, as Debian builds it, looks through
  /// one of them for each socket that goes: where a million files are allowed that would take a millisecond.
  package static func limitingOpenFiles<Result>(
    for connections: Int, _ make: () throws(ServerError) -> Result
  ) throws(ServerError) -> Result {
    let allowed = openFiles
    let wanted = files(for: connections)
    guard allowed > wanted else { return try make() }
    allowOpenFiles(wanted)
    defer { allowOpenFiles(allowed) }
    return try make()
  }

  private static func files(for connections: Int) -> Int {
    max(0, min(connections, maxConnections)) + spareFiles
  }

  /// Allows so many, or as many as the system grants.
  private static func allowOpenFiles(_ count: Int) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// A write to a socket that the peer has closed is an error of that write, not the end of the process.
  package static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
}
