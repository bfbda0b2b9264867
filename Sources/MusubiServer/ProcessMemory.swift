// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets
import Glibc

/// The memory of the process: how much it may take, and how much it takes.
package enum ProcessMemory {
  /// The most bytes that the process may take: the least of what its control group, its limits and the machine grant.
  package static var limit: Int {
    ([resourceLimit(RLIMIT_AS), resourceLimit(RLIMIT_DATA)].compactMap { $0 } + bounds.map(\.limit)).min()
      ?? .max
  }

  /// How near the process is to the limit of its control group or of the machine, from 0 to 1.
  package static var pressure: Double { bounds.map { Double($0.used) / Double($0.limit) }.max() ?? 0 }

  /// The bytes of memory that the process has in use.
  package static var resident: Int { sizes.count > 1 ? sizes[1] : 0 }

  /// The process's sizes in memory, in bytes: all, and what is resident.
  private static var sizes: [Int] {
    let page = sysconf(Int32(_SC_PAGESIZE))
    return (text("/proc/self/statm") ?? "").split { " \n".contains($0) }.map { (Int($0) ?? 0) * page }
  }

  /// The limits for memory that is in use, each with the bytes that count towards it now.
  private static var bounds: [(limit: Int, used: Int)] {
    let (page, sizes) = (sysconf(Int32(_SC_PAGESIZE)), sizes)
    var bounds: [(limit: Int, used: Int)] = []
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    if pages > 0, sizes.count > 1 { bounds.append((pages * page, sizes[1])) }
    if let group = groupFile("memory.max", "memory.limit_in_bytes").flatMap(number),
      let used = groupFile("memory.current", "memory.usage_in_bytes").flatMap(number)
    {
      // The system takes files that nobody has read lately out of memory by itself.
      bounds.append((group, used - inactiveFileBytes))
    }
    return bounds
  }

  private static var inactiveFileBytes: Int {
    let lines = (groupFile("memory.stat", "memory.stat") ?? "").split(separator: "\n")
    let line =
      lines.first { $0.hasPrefix("total_inactive_file ") } ?? lines.first { $0.hasPrefix("inactive_file ") }
    return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
  }

  /// Tells whether it is called on the thread that has asked for it.
  package static var isOnThisThread: @Sendable () -> Bool {
    let thread = pthread_self()
    return { pthread_equal(pthread_self(), thread) != 0 }
  }

  /// The bytes that the allocator has handed out in the whole process.
  package static var heapInUse: Int { Int(musubi_heap_in_use()) }

  /// Gives what the allocator keeps and nobody uses back to the system.
  package static func trim() { musubi_heap_trim() }

  /// The text of a file of the process's control group, of version 2 or 1.
  private static func groupFile(_ second: String, _ first: String) -> String? {
    for line in text("/proc/self/cgroup")?.split(separator: "\n") ?? [] {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let folder = parts[2] == "/" ? "" : String(parts[2])
      if parts[1].isEmpty, let found = text("/sys/fs/cgroup\(folder)/\(second)") { return found }
      guard parts[1].split(separator: ",").contains("memory") else { continue }
      // In a container the group is mounted at the top.
      for place in [folder, ""] {
        if let found = text("/sys/fs/cgroup/memory\(place)/\(first)") { return found }
      }
    }
    return nil
  }

  private static func resourceLimit(_ resource: __rlimit_resource) -> Int? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0, limit.rlim_cur != .max else {
      return nil
    }
    return Int(clamping: limit.rlim_cur)
  }

  private static func number(_ text: String) -> Int? { Int(text.prefix { $0 != "\n" }) }

  /// The begin of a small file; nil if it cannot be read.
  private static func text(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(file, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}
