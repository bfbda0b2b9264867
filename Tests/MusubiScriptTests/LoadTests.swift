// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiClient
import Testing

@testable import MusubiScript

@Suite struct `A load` {
  /// Has visitors play a script against a fake server.
  private func run(_ script: String, _ change: (inout LoadPlan) -> Void) throws -> LoadResult {
    let server = try FakeServer()
    defer { server.stop() }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("musubi-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { _ = try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("s.musubi")
    try Data(script.utf8).write(to: file)
    var plan = LoadPlan(server: try ServerAddress(server.url), file: file.path)
    // A machine with other work may be slow.
    plan.deadline = .seconds(60)
    change(&plan)
    return try plan.run()
  }

  @Test func `has visitors play a script round by round, and measures each step`() throws {
    let result = try run(
      """
      # what a visitor does
      open a /number?room=$fresh
      save before = a.label
      repeat 3
        tap a.roll
      end
      settle
      expect a.label is present
      """
    ) {
      $0.visitors = 4
      $0.duration = .seconds(1)
    }

    #expect(result.failures == [:])
    #expect(result.rounds >= 4)
    #expect(result.hasPassed)
    #expect(
      result.rows.map(\.name) == [
        "2  open a /number?room=$fresh", "5  tap a.roll", "7  settle", "8  expect a.label is present",
      ])
    let counts = result.rows.map(\.latencies.count)
    // Those of the rounds that the end has cut off count, too.
    #expect(counts[0] >= result.rounds && counts[0] <= result.rounds + 4)
    #expect(counts[1] >= 3 * result.rounds && counts[1] <= 3 * (result.rounds + 4))
    #expect(counts[2] >= result.rounds && counts[3] >= result.rounds)
    #expect(result.rows.allSatisfy { $0.latencies.quantile(0.5) > .zero })
  }

  @Test func `measures each key until it is acknowledged`() throws {
    let result = try run("open a /number\ntype a.number \"42\"\nwithin 60s expect a.label = \"42\"") {
      $0.visitors = 1
      $0.duration = .milliseconds(500)
      $0.pause = .milliseconds(10)
    }

    #expect(result.failures == [:] && result.rounds > 0)
    let keys = result.rows[1].latencies.count
    #expect(keys >= 2 * result.rounds && keys <= 2 * result.rounds + 2)
    #expect(result.rows[2].latencies.count >= result.rounds)
  }

  @Test func `ends a round when its last input is acknowledged, and measures the whole way`() throws {
    let result = try run("open a /number\ndelay a 30ms\ntap a.roll") {
      $0.visitors = 2
      $0.duration = .milliseconds(600)
    }

    #expect(result.failures == [:] && result.rounds > 0)
    let taps = result.rows[1].latencies
    #expect(taps.count >= result.rounds)
    // Held back for 30 ms each way; a bucket is 3 per cent wide.
    #expect(taps.quantile(0.001) >= .milliseconds(58), "\(taps.quantile(0.001))")
  }

  @Test func `goes on behind rounds that fail, and tells why they did`() throws {
    let result = try run("open a /number\nwithin 20ms expect a.label = \"never\"") {
      $0.visitors = 3
      $0.duration = .milliseconds(2_500)
    }

    #expect(!result.hasPassed && result.rounds == 0)
    #expect(result.failures.count == 1)
    let (reason, count) = try #require(result.failures.first)
    #expect(
      reason.hasSuffix("s.musubi:2: within 20ms expect a.label = \"never\": not true within 20 ms"),
      "\(reason)")
    #expect(count > 3, "Visitors come again.")
    #expect(result.text.contains(": 0 rounds passed, \(count) failed"))
    #expect(result.text.contains("failed \(count) times: \(reason)"))
    #expect(result.rows[1].latencies.count == 0)
    #expect(result.chart.contains("<svg "))
  }

  @Test func `of a server that is not there fails`() throws {
    let server = try FakeServer()
    server.stop()
    let result = try run("open a /number") {
      $0 = LoadPlan(server: ServerAddress(host: "127.0.0.1", port: 1), file: $0.file)
      $0.visitors = 1
      $0.duration = .milliseconds(200)
    }

    #expect(!result.hasPassed && result.failures.values.reduce(0, +) == 1)
  }

  @Test func `says that no round came to its end`() throws {
    let result = try run("open a /number\nstill a.label is present for 30s") {
      $0.visitors = 1
      $0.duration = .milliseconds(300)
    }

    #expect(!result.hasPassed && result.failures == [:])
    // On a busy machine another sentence, on the load's own speed, comes behind it.
    #expect(
      result.text.contains("\nNo round came to its end: give --for more time, or the script fewer steps."))
  }

  @Test(arguments: [
    (
      "open a /number\nkill server", 2,
      "'kill server' needs a server of its own; a load leaves the server as it is."
    ),
    (
      "open a /number as ann", 1,
      "'open a /number as ann' needs a server of its own; a load leaves the server as it is."
    ),
  ])
  func `leaves the server as it is`(script: String, line: Int, message: String) {
    let error = #expect(throws: ScriptError.self) { try run(script) { _ in } }

    #expect(error?.message == message)
    #expect(error?.location.line == line)
  }

  @Test(arguments: [
    ("http://localhost:8080", true), ("http://127.0.0.1:8080", true), ("http://127.8.0.1", true),
    ("http://[::1]:80", true), ("http://LOCALHOST", true), ("http://192.0.2.1", false),
    ("http://127.0.0.1.example.org", false), ("http://localhost.example.org", false),
    ("http://[2001:db8::1]", false),
  ])
  func `knows whether a server is on this machine`(address: String, isLocal: Bool) throws {
    #expect(LoadPlan(server: try ServerAddress(address), file: "").isLocal == isLocal)
  }

  @Test func `is drawn with each step, its figures and its words`() throws {
    var latencies = Latencies()
    for milliseconds in 1...100 { latencies.add(.milliseconds(milliseconds)) }
    var plan = LoadPlan(server: ServerAddress(host: "localhost", port: 8080), file: "/x/a<b>&.musubi")
    plan.visitors = 3
    let result = LoadResult(
      plan: plan, seconds: 10, loadShare: 0.97,
      rows: [
        LoadResult.Row(name: "1  expect a.x < \"&\"", latencies: latencies),
        LoadResult.Row(name: "2  tap a.never"),
      ], rounds: 7, failures: [:])

    let chart = result.chart
    #expect(chart.components(separatedBy: "<circle ").count == 2, "A step without a figure has no bar.")
    #expect(chart.contains("<title id=\"title\">a&lt;b&gt;&amp;.musubi: 3 visitors for 10 s</title>"))
    #expect(
      chart.contains("1  expect a.x &lt; \"&amp;\": 100 times, median 50 ms, 99 per cent within 100 ms."))
    #expect(chart.contains("prefers-color-scheme: dark"))
    #expect(
      result.text.split(separator: "\n").map(String.init) == [
        "3 visitors for 10 s at http://localhost:8080: 7 rounds passed, 0 failed; the load took 97 % of a core",
        "step                 count  per s    p50    p95     p99     max",
        "1  expect a.x < \"&\"    100     10  50 ms  96 ms  100 ms  100 ms",
        "2  tap a.never           0      0   0 ms   0 ms    0 ms    0 ms",
        "The load may be slower than the server: give it a core of its own, or fewer visitors.",
      ])
  }
}

@Suite struct `Latencies of a load` {
  @Test func `have quantiles within 3 per cent, whatever their size`() {
    var generator = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0 ... .max, using: &generator)
    var state = seed
    // A linear congruence (Knuth, MMIX), so that the seed repeats it.
    func next() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / Double(1 << 53)
    }
    var (latencies, other, values) = (Latencies(), Latencies(), [Double]())
    for index in 0..<2_000 {
      let microseconds = pow(10, 8 * next())
      values.append(microseconds)
      index % 2 == 0 ? latencies.add(.microseconds(microseconds)) : other.add(.microseconds(microseconds))
    }
    latencies.add(other)
    values.sort()

    #expect(latencies.count == 2_000)
    #expect(abs(latencies.longest / .microseconds(1) - values[1_999]) < 1)
    for share in [0.001, 0.25, 0.5, 0.95, 0.99, 1] {
      let exact = values[Int((share * 2_000).rounded(.up)) - 1]
      let found = latencies.quantile(share) / .microseconds(1)
      #expect(
        found >= exact - 1 && found <= exact * 1.04 + 1, "\(share): \(found) for \(exact), seed \(seed)")
    }
  }

  @Test func `are zero if there is none, and bounded if they are absurd`() {
    var latencies = Latencies()
    #expect(latencies.quantile(0.5) == .zero)

    latencies.add(.seconds(1_000_000_000))
    latencies.add(.milliseconds(-1))

    #expect(latencies.count == 2)
    #expect(latencies.quantile(0.1) <= .microseconds(1))
    #expect(latencies.quantile(1) <= .seconds(1_000_000_000))
  }
}
