// SPDX-License-Identifier: Apache-2.0
import CBaseline
import Foundation

/// The computer that measures.
enum Machine {
  /// Cores that this process may use.
  static let coreCount: Int = ProcessInfo.processInfo.activeProcessorCount

  /// Whether servers and load can each have a core of their own.
  static var canPin: Bool { coreCount >= 2 }

  /// Processor, cores and kernel in one line.
  static var description: String {
    let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let model =
      information.split(separator: "\n").first { $0.hasPrefix("model name") }?
      .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown processor"
    return "\(model), \(coreCount) cores, \(ProcessInfo.processInfo.operatingSystemVersionString)"
  }

  /// Sees to it that this process and the servers can hold some thousand sockets, as far as the system lets it.
  ///
  /// Not more than needed: libwebsockets searches a table of this length whenever a connection comes.
  ///
  /// - Returns: The most connections to open beside what the servers keep free for other sockets.
  static func allowConnections() -> Int {
    let wanted: rlim_t = 24_000
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit(rlim_cur: wanted, rlim_max: wanted)
    if setrlimit(resource, &limit) != 0 {
      getrlimit(resource, &limit)
      limit.rlim_cur = min(limit.rlim_max, wanted)
      setrlimit(resource, &limit)
    }
    getrlimit(resource, &limit)
    return max(100, Int(clamping: limit.rlim_cur) - 1_300)
  }

  /// Binds this process to a core.
  ///
  /// - Parameter core: The core's number, from 0.
  /// - Throws: `BenchError` if the system has no such core for this process.
  static func pin(to core: Int) throws(BenchError) {
    let failure = musubi_pin(Int32(core))
    guard failure == 0 else {
      throw BenchError("cannot use core \(core): \(String(cString: strerror(failure)))")
    }
  }

  /// Lets this process, and what it starts from now on, use all cores.
  ///
  /// - Throws: `BenchError` if the system does not allow it.
  static func unpin() throws(BenchError) {
    let failure = musubi_pin(-1)
    guard failure == 0 else {
      throw BenchError("cannot use all cores: \(String(cString: strerror(failure)))")
    }
  }

  /// How long a core has worked since the machine started, whoever used it.
  ///
  /// - Parameter core: The core's number.
  /// - Returns: Seconds, in steps of a hundredth; nil if the kernel does not tell.
  static func busySeconds(core: Int) -> Double? {
    guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return nil }
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("cpu\(core) ") }) else {
      return nil
    }
    let ticks = line.split(separator: " ").dropFirst().compactMap { Double($0) }
    guard ticks.count >= 8 else { return nil }
    // user, nice, system, (idle, iowait), irq, softirq, steal
    return (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7])
      / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
