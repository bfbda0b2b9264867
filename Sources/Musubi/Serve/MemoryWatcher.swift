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
  private static let shortWait = Duration.milliseconds(20)

  /// What a look leads to.
  struct Step: Equatable {
    /// The part of all counted bytes that goes, from 0 to 1; nil if nothing has to.
    var freed: Double?
    /// How long it waits until the next look; where something is freed, if that helped.
    var wait: Duration
  }

  /// What to do.
  ///
  /// - Parameters:
  ///   - pressure: How near the process is to its limit, from 0 to 1.
  ///   - last: The same at the look before.
  /// - Returns: The step.
  static func step(at pressure: Double, after last: Double) -> Step {
    // The bytes at the next looks, if it goes on so: this task, and what it asks for, may come late.
    let expected = pressure + 5 * max(0, pressure - last)
    guard expected >= high else { return Step(wait: expected < 0.6 ? .milliseconds(100) : shortWait) }
    return Step(freed: (expected - low) / expected, wait: shortWait)
  }

  /// Looks until its task is cancelled.
  func run() async {
    var wait = Duration.milliseconds(100)
    var last = ProcessMemory.pressure
    do {
      while true {
        try await Task.sleep(for: wait)
        let pressure = ProcessMemory.pressure
        let step = Self.step(at: pressure, after: last)
        last = pressure
        guard let freed = step.freed else {
          wait = step.wait
          continue
        }
        await loops.freeMemory(part: freed)
        ProcessMemory.trim()
        last = ProcessMemory.pressure
        // It is not done all the time where it helps nobody.
        wait = last < pressure || last < Self.high ? step.wait : min(wait * 2, .seconds(1))
      }
    } catch {
      // Its server has ended.
    }
  }
}
