// SPDX-License-Identifier: Apache-2.0

extension Simulation {
  /// Runs schedules of consecutive seeds until one fails.
  ///
  /// - Parameters:
  ///   - seeds: The seeds.
  ///   - kinds: The kinds of pages.
  ///   - screens: The ViewModels.
  ///   - progress: Called after each schedule.
  /// - Returns: What failed and the smallest schedule that still fails; nil if all is well.
  package func firstFailure(
    seeds: Range<UInt64>, kinds: [Schedule.PageKind],
    screens: [SimulatedScreen] = SimulatedScreen.drawn, progress: (UInt64) -> Void = { _ in }
  ) -> String? {
    for seed in seeds {
      let schedule = Schedule(seed: seed, kinds: kinds, screens: screens)
      guard failure(of: schedule) != nil else {
        progress(seed)
        continue
      }
      let (smallest, reason) = shrink(schedule)
      return "\(reason)\n\(smallest)"
    }
    return nil
  }

  /// Leaves out actions, by halves and then one by one, as long as the schedule still fails.
  private func shrink(_ schedule: Schedule) -> (Schedule, String) {
    var smallest = schedule
    var size = max(1, smallest.actions.count / 2)
    while true {
      var hasShrunk = false
      var start = 0
      while start < smallest.actions.count {
        var candidate = smallest
        candidate.actions.removeSubrange(start..<min(start + size, candidate.actions.count))
        if failure(of: candidate) != nil {
          smallest = candidate
          hasShrunk = true
        } else {
          start += size
        }
      }
      if size == 1, !hasShrunk { break }
      size = max(1, size / 2)
    }
    return (smallest, trace(smallest) ?? "it fails no longer")
  }

  /// Runs a schedule and prints all frames.
  private func trace(_ schedule: Schedule) -> String? {
    SimulatedPage.traces = true
    defer { SimulatedPage.traces = false }
    return failure(of: schedule)
  }

  private func failure(of schedule: Schedule) -> String? {
    do {
      try run(schedule)
      return nil
    } catch {
      return "\(error)"
    }
  }
}
