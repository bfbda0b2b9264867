// SPDX-License-Identifier: Apache-2.0
import Foundation
import Simulation

/// `musubi-simulate [COUNT] [FIRST SEED] [swift|browser|both]`: runs schedules and prints how many per second.
@main
struct SimulateCommand {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    let numbers = arguments.compactMap { UInt64($0) }
    let count = numbers.first ?? 1_000
    let first = numbers.dropFirst().first ?? 0
    let kinds: [Schedule.PageKind] =
      arguments.contains("swift")
      ? [.swift] : arguments.contains("browser") ? [.browser] : [.swift, .browser]
    let node =
      kinds.contains(.browser)
      ? try NodePages(script: "Tests/Simulation/pages.mjs", client: "Public/musubi") : nil
    let clock = ContinuousClock()
    let start = clock.now
    let failure = Simulation(node: node).firstFailure(seeds: first..<(first + count), kinds: kinds)
    if let failure {
      print(failure)
      exit(1)
    }
    let seconds = (clock.now - start) / .seconds(1)
    print("\(count) schedules in \(Int(seconds)) s, \(Int(Double(count) / seconds)) per second")
  }
}
