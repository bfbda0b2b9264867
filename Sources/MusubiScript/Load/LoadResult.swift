// SPDX-License-Identifier: Apache-2.0

/// What a load has measured.
package struct LoadResult: Sendable {
  /// One step of the script, over all visitors and rounds.
  struct Row: Equatable, Sendable {
    /// The step behind its line.
    let name: String
    var latencies = Latencies()
  }

  let plan: LoadPlan
  let seconds: Double
  /// How much of a core the load itself took, from 0 to 1.
  let loadShare: Double
  /// The steps that were measured, in the script's order.
  let rows: [Row]
  /// How many rounds went from the first step to the last.
  package let rounds: Int
  /// How often rounds failed, by place and reason.
  package let failures: [String: Int]

  /// Whether all went well, and something was measured.
  package var hasPassed: Bool { failures.isEmpty && rounds > 0 }

  /// The result for people: a table of the steps, and why rounds failed.
  package var text: String {
    let failed = failures.values.reduce(0, +)
    var lines = [
      "\(plan.visitors) \(plan.visitors == 1 ? "visitor" : "visitors") for \(plan.duration.readable) at \(plan.server): "
        + "\(rounds) \(rounds == 1 ? "round" : "rounds") passed, \(failed) failed; the load took "
        + "\(Int((100 * loadShare).rounded())) % of a core",
      "",
    ]
    lines += table
    if rounds == 0 && failures.isEmpty {
      lines += ["", "No round came to its end: give --for more time, or the script fewer steps."]
    }
    if loadShare > 0.8 {
      lines += ["", "The load may be slower than the server: give it a core of its own, or fewer visitors."]
    }
    for (reason, count) in failures.sorted(by: { $0.key < $1.key }) {
      lines += ["", "failed \(count == 1 ? "once" : "\(count) times"): \(reason)"]
    }
    return lines.joined(separator: "\n")
  }

  private var table: [String] {
    let head = ["step", "count", "per s", "p50", "p95", "p99", "max"]
    let cells = rows.map { row in
      let latencies = row.latencies
      return [
        Self.cut(row.name), "\(latencies.count)", "\(Int((Double(latencies.count) / seconds).rounded()))",
        latencies.quantile(0.5).precise, latencies.quantile(0.95).precise, latencies.quantile(0.99).precise,
        latencies.longest.precise,
      ]
    }
    let all = [head] + cells
    let widths = head.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { line in
      line.indices.map { column in
        let padding = String(repeating: " ", count: widths[column] - line[column].count)
        return column == 0 ? line[column] + padding : padding + line[column]
      }.joined(separator: "  ")
    }
  }

  private static func cut(_ name: String) -> String { name.count > 48 ? name.prefix(47) + "…" : name }
}

extension Duration {
  /// The time with two or three digits: `0.42 ms`, `17 ms`, `1.3 s`.
  var precise: String {
    let milliseconds = self / .milliseconds(1)
    switch milliseconds {
    case 0: return "0 ms"
    case ..<1: return "\((milliseconds * 100).rounded() / 100) ms"
    case ..<10: return "\((milliseconds * 10).rounded() / 10) ms"
    case ..<1000: return "\(Int(milliseconds.rounded())) ms"
    default: return "\((milliseconds / 100).rounded() / 10) s"
    }
  }
}
