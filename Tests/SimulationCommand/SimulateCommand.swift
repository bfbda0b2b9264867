// SPDX-License-Identifier: Apache-2.0
import Foundation

/// `musubi-simulate [COUNT] [FIRST SEED] [KIND]`: runs schedules of one of the kinds of `ScheduleKind`.
///
/// It shows each that fails made as small as it can be, and prints how many per second.
@main
struct SimulateCommand {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    let kinds = arguments.compactMap(ScheduleKind.init)
    let numbers = arguments.compactMap { UInt64($0) }
    guard kinds.count <= 1, numbers.count <= 2, kinds.count + numbers.count == arguments.count else {
      print(usage)
      exit(arguments.contains("--help") ? 0 : 2)
    }
    let count = numbers.first ?? 1_000
    let first = numbers.dropFirst().first ?? 0
    let schedules = try (kinds.first ?? .both).schedules()
    let clock = ContinuousClock()
    let start = clock.now
    var failures = 0
    for seed in first..<(first + count) {
      guard let failure = schedules.firstFailure(seed..<(seed + 1)) else { continue }
      failures += 1
      print(failure)
    }
    let seconds = (clock.now - start) / .seconds(1)
    print(
      "\(count) schedules from \(first), \(failures) failed, in \(Int(seconds)) s, \(Int(Double(count) / seconds)) per second"
    )
    if let summary = schedules.summary() { print(summary) }
    if failures > 0 { exit(1) }
  }

  private static let usage = """
    musubi-simulate [COUNT] [FIRST SEED] [\(ScheduleKind.allCases.map(\.rawValue).joined(separator: "|"))]

    Runs COUNT schedules (1,000) from FIRST SEED (0) on, and prints each that fails as small as it can be.
    `browser`, `both`, `mixed`, `mixed-rows` and `long-rows` need node; run it in the repository's folder.
    """
}
