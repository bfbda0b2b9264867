// SPDX-License-Identifier: Apache-2.0
import MusubiServer

/// The guard that believes nobody: looks ten times a second, and more often near the limit, at how much memory the
/// process really takes.
///
/// The loops count what they know; an author's classes and the allocator may take more. At 85 per cent of what the
/// process may take, sessions and rooms that nobody shows go until it is 75.
struct MemoryWatcher: Sendable {
  let loops: RunningLoops

  /// Where memory is freed, and until where.
  private static let (high, low) = (0.85, 0.75)
  /// How often it looks where much can happen in a moment.
  private static let step = Duration.milliseconds(20)

  /// Looks until its task is cancelled.
  func run() async {
    var wait = Duration.milliseconds(100)
    var last = ProcessMemory.pressure
    do {
      while true {
        try await Task.sleep(for: wait)
        let pressure = ProcessMemory.pressure
        // What will be there at the next looks, if it goes on so: this task, and what it asks for, may come late.
        let expected = pressure + 5 * max(0, pressure - last)
        last = pressure
        guard expected >= Self.high else {
          wait = expected < 0.6 ? .milliseconds(100) : Self.step
          continue
        }
        await loops.freeMemory(part: (expected - Self.low) / expected)
        ProcessMemory.trim()
        last = ProcessMemory.pressure
        // What helps nobody is not done all the time.
        wait = last < pressure || last < Self.high ? Self.step : min(wait * 2, .seconds(1))
      }
    } catch {
      // Its server has ended.
    }
  }
}
