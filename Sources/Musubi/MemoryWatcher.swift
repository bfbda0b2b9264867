// SPDX-License-Identifier: Apache-2.0
import MusubiServer

/// The guard that believes nobody: looks every second, near the limit every tenth, at how much memory the process really takes.
///
/// The loops count what they know; an author's classes and the allocator may take more. At 85 per cent of what the
/// process may take, sessions and rooms that nobody shows go until it is 75.
struct MemoryWatcher: Sendable {
  let loops: RunningLoops

  /// Looks until its task is cancelled.
  func run() async {
    var pressure = 0.0
    while true {
      // Near the limit much can happen in a second.
      do { try await Task.sleep(for: .milliseconds(pressure < 0.7 ? 1_000 : 100)) } catch { return }
      pressure = ProcessMemory.pressure
      guard pressure >= 0.85 else { continue }
      defer { pressure = 0 }
      loops.freeMemory(part: (pressure - 0.75) / pressure)
      // The next look sees what that has given back.
      ProcessMemory.trim()
    }
  }
}
