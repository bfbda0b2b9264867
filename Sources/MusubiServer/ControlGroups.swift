// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The memory of the control groups that the process is in: its own, and those around it, each with a limit of its own.
struct ControlGroups {
  /// Where the system shows them.
  let root: String
  /// What it says of the process: a line for each hierarchy.
  let membership: String

  /// A limit for memory, and the bytes that count towards it now.
  struct Bound: Equatable {
    var limit: Int
    var used: Int
  }

  /// Those of the running process.
  static var own: ControlGroups {
    ControlGroups(root: "/sys/fs/cgroup", membership: text("/proc/self/cgroup") ?? "")
  }

  /// The groups that have a limit.
  var bounds: [Bound] {
    var bounds: [Bound] = []
    for line in membership.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let isSecond = parts[1].isEmpty
      guard isSecond || parts[1].split(separator: ",").contains("memory") else { continue }
      // In a container its own group is mounted at the top.
      var folder = root + (isSecond ? "" : "/memory")
      for name in CollectionOfOne("") + parts[2].split(separator: "/").map(String.init) {
        if !name.isEmpty { folder += "/" + name }
        if let bound = isSecond ? Self.second(folder) : Self.first(folder) { bounds.append(bound) }
      }
    }
    return bounds
  }

  /// A group of version 2; above `memory.high` the system slows its processes down until hardly anything moves.
  private static func second(_ folder: String) -> Bound? {
    let limits = ["max", "high"].compactMap { number("\(folder)/memory.\($0)") }
    guard let limit = limits.min(), let used = number("\(folder)/memory.current") else { return nil }
    return Bound(limit: limit, used: used - inactiveFileBytes(folder, "inactive_file "))
  }

  /// A group of version 1, where one without a limit has a very high one.
  private static func first(_ folder: String) -> Bound? {
    guard let limit = number("\(folder)/memory.limit_in_bytes"), limit < 1 << 60,
      let used = number("\(folder)/memory.usage_in_bytes")
    else { return nil }
    return Bound(limit: limit, used: used - inactiveFileBytes(folder, "total_inactive_file "))
  }

  /// The bytes of files that nobody has read lately, which the system takes out of memory by itself.
  private static func inactiveFileBytes(_ folder: String, _ name: String) -> Int {
    let lines = (text("\(folder)/memory.stat") ?? "").split(separator: "\n")
    return lines.first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) } ?? 0
  }

  private static func number(_ path: String) -> Int? {
    text(path).flatMap { Int($0.prefix { $0 != "\n" }) }
  }

  /// The begin of a small file; nil if it cannot be read.
  static func text(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(file, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}
