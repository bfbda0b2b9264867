// SPDX-License-Identifier: Apache-2.0
import MusubiServer

/// A report in Prometheus' text format, version 0.0.4.
///
/// Labels have few values: loops, an author's screens, fixed words. Names of rooms, sessions and peers are none.
struct MetricsText {
  private(set) var text = ""
  private let report: ServerReport

  private enum Kind: String { case counter, gauge, histogram }

  private struct Sample {
    var labels: [(name: String, value: String)] = []
    var value: Double
  }

  init(_ report: ServerReport) {
    self.report = report
    addProcess()
    addLoops()
    addScreens()
  }

  private mutating func addProcess() {
    add("process_start_time_seconds", .gauge, "When the server began, in seconds since 1970.", report.started)
    add("process_resident_memory_bytes", .gauge, "Memory that is in use.", Double(report.residentBytes))
    add(
      "musubi_memory_limit_bytes", .gauge, "Memory that the process may take.",
      Double(report.maxResidentBytes))
    if let bytes = report.storedBytes {
      add("musubi_store_bytes", .gauge, "Records of sessions and rooms on disk.", Double(bytes))
      add(
        "musubi_store_limit_bytes", .gauge, "What records may take on disk.",
        Double(report.maxStoredBytes ?? 0))
      add("musubi_store_failing", .gauge, "1 while the store refuses changes.", report.storeFails ? 1 : 0)
    }
    if let node = report.node {
      add("musubi_node_slots", .gauge, "Slots of rooms, of 4,096, that this server has.", Double(node.slots))
      add("musubi_nodes", .gauge, "Servers that share the rooms, as this one sees them.", Double(node.nodes))
      if let age = report.heartbeatAge {
        add(
          "musubi_node_heartbeat_age_seconds", .gauge,
          "How long ago the server has told the others that it lives.", age)
      }
    }
    add("musubi_draining", .gauge, "1 while the server sends its pages away.", report.isDraining ? 1 : 0)
    add(
      "musubi_refusals_total", .counter, "The refusals, by reason.",
      report.refusals.sorted { $0.key < $1.key }.map {
        Sample(labels: [("reason", $0.key)], value: Double($0.value))
      })
  }

  private mutating func addLoops() {
    addLoops("musubi_connections", .gauge, "Open WebSockets.") { Double($0.connections) }
    addLoops("musubi_connections_opened_total", .counter, "WebSockets that were opened.") {
      Double($0.connectionsOpened)
    }
    addLoops("musubi_http_requests_total", .counter, "Plain requests.") { Double($0.requests) }
    addLoops("musubi_messages_received_total", .counter, "Messages of pages.") { Double($0.messages) }
    addLoops("musubi_sent_bytes_total", .counter, "Bytes of frames sent to pages.") { Double($0.bytesSent) }
    add(
      "musubi_sessions", .gauge,
      "Sessions: their page is connected, is waited for, or they are in the store alone.",
      report.loops.flatMap { loop in
        [
          ("connected", loop.connectedSessions), ("waiting", loop.waitingSessions),
          ("stored", loop.storedSessions),
        ].map {
          Sample(labels: [("loop", "\(loop.index)"), ("state", $0)], value: Double($1))
        }
      })
    addLoops("musubi_budget_used_bytes", .gauge, "Bytes of sessions and rooms, as they are counted.") {
      Double($0.bytes)
    }
    addLoops("musubi_budget_limit_bytes", .gauge, "What sessions and rooms of a loop may take.") {
      $0.maxBytes.map(Double.init) ?? .infinity
    }
    addLoops("musubi_loop_lag_seconds", .gauge, "How long the newest question to the loop has waited.") {
      $0.lag
    }
    addLoops(
      "musubi_loop_longest_iteration_seconds", .gauge, "The longest iteration within the last second."
    ) { $0.longestIteration }
    if report.node != nil {
      addLoops(
        "musubi_refused_slots_total", .counter,
        "How often the store took nothing of a slot, because it is not this server's any more."
      ) { Double($0.refusedSlots) }
    }
    add(
      "musubi_commit_duration_seconds", "How long commits took until they were safe.",
      report.loops.map { ([("loop", "\($0.index)")], $0.commits) })
  }

  private mutating func addScreens() {
    addScreens("musubi_rooms", .gauge, "Rooms in memory.") { $0.rooms }
    addScreens("musubi_pages", .gauge, "Pages that are connected and show the screen.") { $0.pages }
    addScreens("musubi_turns_total", .counter, "Turns of rooms.") { $0.turns }
    addScreens("musubi_inputs_total", .counter, "Inputs that rooms have taken.") { $0.inputs }
    add(
      "musubi_turn_duration_seconds", "How long a room took for one event; one of 64 is measured.",
      report.screens.map { ([("screen", $0.name)], $0.turnTime) })
    add(
      "musubi_hand_over_duration_seconds",
      "From an input's arrival to the end of the iteration that handed its turn to the pages at the head; one of 64 is measured.",
      report.screens.map { ([("screen", $0.name)], $0.handOver) })
  }

  // MARK: - Families

  private mutating func addLoops(
    _ name: String, _ kind: Kind, _ help: String, _ value: (ServerReport.Loop) -> Double
  ) {
    add(name, kind, help, report.loops.map { Sample(labels: [("loop", "\($0.index)")], value: value($0)) })
  }

  private mutating func addScreens(
    _ name: String, _ kind: Kind, _ help: String, _ value: (ServerReport.Screen) -> Int
  ) {
    add(
      name, kind, help, report.screens.map { Sample(labels: [("screen", $0.name)], value: Double(value($0))) }
    )
  }

  private mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
    add(name, kind, help, [Sample(value: value)])
  }

  private mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    begin(name, kind, help)
    for sample in samples { add(name, sample) }
  }

  private mutating func add(
    _ name: String, _ help: String,
    _ samples: [(labels: [(name: String, value: String)], value: ServerReport.Histogram)]
  ) {
    guard !samples.isEmpty else { return }
    begin(name, .histogram, help)
    for (labels, histogram) in samples {
      // The counts of the buckets are their own; Prometheus wants those of all smaller ones with them.
      var count = 0
      for (bound, own) in zip(histogram.bounds, histogram.counts) {
        count += own
        add(name + "_bucket", Sample(labels: labels + [("le", Self.number(bound))], value: Double(count)))
      }
      add(name + "_bucket", Sample(labels: labels + [("le", "+Inf")], value: Double(histogram.count)))
      add(name + "_sum", Sample(labels: labels, value: histogram.sum))
      add(name + "_count", Sample(labels: labels, value: Double(histogram.count)))
    }
  }

  private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  private mutating func add(_ name: String, _ sample: Sample) {
    let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
    text += name + (labels.isEmpty ? "" : "{\(labels)}") + " \(Self.number(sample.value))\n"
  }

  /// A label's value: a backslash, a quotation mark and a line's end may not stand for themselves.
  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  private static func number(_ value: Double) -> String {
    if value == .infinity { return "+Inf" }
    return Int(exactly: value).map { "\($0)" } ?? "\(value)"
  }
}
