// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import Testing

@testable import MusubiAdmin

@Suite struct `Metrics` {
  @Test func `are grouped by name, with escaped labels and cumulative buckets`() {
    var report = ServerReport()
    for index in 0..<2 {
      var loop = ServerReport.Loop()
      (loop.index, loop.connections, loop.lag) = (index, 3 + index, 0.25)
      report.loops.append(loop)
    }
    var screen = ServerReport.Screen()
    screen.name = "a\"\\\nb"
    screen.turns = 7
    screen.turnTime.bounds = [0.001, 0.01]
    screen.turnTime.counts = [2, 3]
    (screen.turnTime.count, screen.turnTime.sum) = (6, 1.5)
    report.screens = [screen]
    report.refusals = ["full": 2, "too-many-rooms": 1]

    let lines = MetricsText(report).text.split(separator: "\n", omittingEmptySubsequences: false)

    for part in [
      [
        "# HELP musubi_connections Open WebSockets.", "# TYPE musubi_connections gauge",
        #"musubi_connections{loop="0"} 3"#, #"musubi_connections{loop="1"} 4"#,
      ],
      [
        #"musubi_turn_duration_seconds_bucket{screen="a\"\\\nb",le="0.001"} 2"#,
        #"musubi_turn_duration_seconds_bucket{screen="a\"\\\nb",le="0.01"} 5"#,
        #"musubi_turn_duration_seconds_bucket{screen="a\"\\\nb",le="+Inf"} 6"#,
        #"musubi_turn_duration_seconds_sum{screen="a\"\\\nb"} 1.5"#,
        #"musubi_turn_duration_seconds_count{screen="a\"\\\nb"} 6"#,
      ],
      [#"musubi_refusals_total{reason="full"} 2"#, #"musubi_refusals_total{reason="too-many-rooms"} 1"#],
      [#"musubi_loop_lag_seconds{loop="0"} 0.25"#], [#"musubi_turns_total{screen="a\"\\\nb"} 7"#],
    ] {
      #expect(lines.firstRange(of: part.map { $0[...] }) != nil, "\(part)")
    }
    let types = lines.filter { $0.hasPrefix("# TYPE ") }
    #expect(types.count == Set(types).count)
    #expect(lines.last == "")
  }

  @Test func `leave a store out that is not there`() {
    var report = ServerReport()
    #expect(!MetricsText(report).text.contains("musubi_store"))
    report.storedBytes = 1
    #expect(MetricsText(report).text.contains("musubi_store_bytes 1\n"))
  }

  @Test func `tell when one of several servers was heard last, once it was`() {
    var report = ServerReport()
    report.node = NodeReport(id: 7)
    #expect(!MetricsText(report).text.contains("heartbeat"))
    report.heartbeatAge = 0.5
    #expect(MetricsText(report).text.contains("musubi_node_heartbeat_age_seconds 0.5\n"))
  }

  @Test func `tell what the store has refused of one of several servers`() {
    var report = ServerReport()
    report.loops = [ServerReport.Loop()]
    report.loops[0].refusedSlots = 3
    #expect(!MetricsText(report).text.contains("musubi_refused_slots_total"))
    report.node = NodeReport(id: 7)
    #expect(MetricsText(report).text.contains("musubi_refused_slots_total{loop=\"0\"} 3\n"))
  }
}
