// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Two ends of a pipe that no started program inherits.
enum DescriptorPair {
  /// Makes a pipe.
  ///
  /// - Throws: `ToolError` if this process may open no more.
  static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else {
      throw ToolError("there is no pipe: \(String(cString: strerror(errno))).")
    }
    for end in ends { keepHere(end) }
    return (ends[0], ends[1])
  }

  /// Keeps a descriptor from the programs that this one starts.
  static func keepHere(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
}

/// Waiting for descriptors.
enum Readiness {
  /// Waits until one can be read, or has come to its end.
  ///
  /// - Parameters:
  ///   - descriptors: The descriptors; negative ones never are.
  ///   - limit: How long; nil waits for ever.
  /// - Returns: Those that can be read.
  @discardableResult static func wait(for descriptors: [Int32], atMost limit: Duration? = nil) -> [Int32] {
    let deadline = limit.map { ContinuousClock.now + $0 }
    var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while true {
      // A part of a millisecond is waited for, too.
      let rest = deadline.map {
        max(0, (ContinuousClock.now.duration(to: $0) / .milliseconds(1)).rounded(.up))
      }
      let count = poll(&entries, nfds_t(entries.count), rest.map { Int32($0) } ?? -1)
      if count > 0 { return entries.filter { $0.revents != 0 }.map(\.fd) }
      // A signal interrupts the wait and does not end it.
      if count == 0 || errno != EINTR { return [] }
    }
  }
}
