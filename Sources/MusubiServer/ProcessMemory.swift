// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets
import Glibc

/// The memory of the process: how much it may take, and how much it takes.
package enum ProcessMemory {
  /// The most bytes that the process may take: the least of what its control groups, its limits and the machine grant.
  package static var limit: Int {
    let limits = ControlGroups.own.bounds.map(\.limit) + resourceLimits.map(\.limit)
    return (limits + [machineBytes].filter { $0 > 0 }).min() ?? .max
  }

  /// The bytes of memory that the process has in use.
  package static var resident: Int { sizes.count > 1 ? sizes[1] : 0 }

  /// The process's sizes in memory, in bytes, as `statm` has them: all, and what is resident, and others.
  private static var sizes: [Int] {
    let page = sysconf(Int32(_SC_PAGESIZE))
    return (ControlGroups.text("/proc/self/statm") ?? "").split { " \n".contains($0) }.map {
      (Int($0) ?? 0) * page
    }
  }

  /// How near the process is to one of these, from 0 to 1.
  package static var pressure: Double {
    let sizes = sizes
    var pressures = ControlGroups.own.bounds.map { Double($0.used) / Double($0.limit) }
    if machineBytes > 0, sizes.count > 1 { pressures.append(Double(sizes[1]) / Double(machineBytes)) }
    for (limit, column) in resourceLimits where sizes.count > column {
      var pressure = Double(sizes[column]) / Double(limit)
      // Memory that the allocator keeps counts here, too. Asking for it is costly, so only near the limit.
      if pressure > 0.7 { pressure -= Double(musubi_heap_free()) / Double(limit) }
      pressures.append(pressure)
    }
    return pressures.max() ?? 0
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

  private static var machineBytes: Int { sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)) }

  /// The limits of the process alone, each with the column of `statm` that counts towards it.
  private static var resourceLimits: [(limit: Int, column: Int)] {
    [(RLIMIT_AS, 0), (RLIMIT_DATA, 5)].compactMap { resource, column in
      var limit = rlimit()
      guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0, limit.rlim_cur != .max else {
        return nil
      }
      return (Int(clamping: limit.rlim_cur), column)
    }
  }
}
