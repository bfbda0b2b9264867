// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import musubi_bench

@Suite struct `Thresholds of the benchmark` {
  private let folder = TemporaryFolder()

  private func thresholds(_ json: String) throws -> Thresholds {
    try Thresholds(path: folder.write(json, to: "thresholds.json"))
  }

  @Test(arguments: [(3.0, true), (3.02, true), (3.04, false), (4, false), (1, true)])
  func `a count may not grow, but for the server's own timers`(value: Double, holds: Bool) throws {
    let thresholds = try thresholds(#"{"counts":{"calls":3},"sizes":{},"ratios":{}}"#)

    let result = thresholds.compare(["calls": Finding(kind: .count, mode: .count, value: value)])

    #expect(result.broken.isEmpty == holds)
    #expect(result.modes == (holds ? [] : [.count]))
  }

  @Test(arguments: [(4_000.0, true), (5_000, true), (5_001, false)])
  func `a size may be a quarter larger`(value: Double, holds: Bool) throws {
    let thresholds = try thresholds(#"{"counts":{},"sizes":{"session":4000},"ratios":{}}"#)

    #expect(
      thresholds.compare(["session": Finding(kind: .size, mode: .memory, value: value)]).broken.isEmpty
        == holds)
  }

  @Test(arguments: [(0.9, true), (0.45, true), (0.44, false), (2, true)])
  func `a ratio may fall to half of its threshold`(value: Double, holds: Bool) throws {
    let thresholds = try thresholds(#"{"counts":{},"sizes":{},"ratios":{"echo":0.9}}"#)

    let result = thresholds.compare(["echo": Finding(kind: .ratio, mode: .echo, value: value)])

    #expect(result.broken.isEmpty == holds)
    #expect(result.broken.first ?? "" == (holds ? "" : "echo: 0.44, less than half of 0.90"))
  }

  @Test(arguments: [(1.2, true), (0.1, true), (1.21, false)])
  func `a promise is kept whatever was measured before`(value: Double, holds: Bool) throws {
    let thresholds = try thresholds(#"{"counts":{},"sizes":{},"ratios":{"heap":3}}"#)
    let finding = Finding(kind: .promise(atMost: 1.2), mode: .heap, value: value)

    let result = thresholds.compare(["heap": finding])

    #expect(result.broken == (holds ? [] : ["heap: 1.21, more than the promised 1.20"]))
    #expect(result.better.isEmpty && result.modes == (holds ? [] : [.heap]))
  }

  @Test func `a figure without a threshold, and a count that fell, are told and break nothing`() throws {
    let thresholds = try thresholds(#"{"counts":{"calls":3},"sizes":{},"ratios":{}}"#)

    let result = thresholds.compare([
      "calls": Finding(kind: .count, mode: .count, value: 2),
      "sends": Finding(kind: .count, mode: .count, value: 1),
    ])

    #expect(result.broken.isEmpty)
    #expect(result.better == ["calls: 2.00 instead of 3.00", "sends: 1.00, without a threshold"])
  }

  @Test func `new thresholds leave figures alone that a run did not look for`() throws {
    let path = try folder.write(#"{"counts":{"calls":3,"sends":1},"sizes":{},"ratios":{}}"#, to: "old.json")
    let found = ["calls": Finding(kind: .count, mode: .count, value: 2.004)]

    try Thresholds(found, beside: path).write(to: path)

    let written = try Thresholds(path: path)
    #expect(written.counts == ["calls": 2, "sends": 1])
  }

  @Test func `a file that is none says so`() throws {
    let path = try folder.write("{", to: "broken.json")

    let error = #expect(throws: BenchError.self) { try Thresholds(path: path) }

    #expect(error?.description.hasPrefix("\(path) has no thresholds: ") == true)
  }

  @Test(arguments: [
    (
      Budget(name: "rate", bound: .atLeast, limit: 0.85, reached: 0.9),
      ["rate", "at least 0.85", "0.90", "yes"]
    ),
    (
      Budget(name: "bytes", bound: .atMost, limit: 4_096, reached: 7_900),
      ["bytes", "at most 4,096", "7,900", "no"]
    ),
    (Budget(name: "gone", bound: .atMost, limit: 4_096, reached: nil), ["gone", "at most 4,096", "-", "-"]),
  ])
  func `a budget says whether it holds`(budget: Budget, cells: [String]) {
    #expect(budget.cells == cells)
  }
}
