// SPDX-License-Identifier: Apache-2.0
import MusubiServer

/// The guard that believes nobody: looks every second at how much memory the process really takes.
///
/// The loops count what they know; an author's classes and the allocator may take more. At 85 per cent of what the
/// process may take, sessions and rooms that nobody shows go until it is 75.
struct MemoryWatcher: Sendable {
  let loops: RunningLoops
  /// The most bytes that the process may take.
  let limit: Int
  /// Tells how many it takes.
  var used: @Sendable () -> Int = { ProcessMemory.used }

  /// Looks until its task is cancelled.
  func run() async {
    while true {
      do { try await Task.sleep(for: .seconds(1)) } catch { return }
      look()
    }
  }

  func look() {
    let used = used()
    guard used >= limit / 100 * 85 else { return }
    // What the allocator keeps is given back first by the next look.
    loops.freeMemory(part: Double(used - limit / 100 * 75) / Double(used))
    ProcessMemory.trim()
  }
}
