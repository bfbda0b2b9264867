// SPDX-License-Identifier: Apache-2.0
import Foundation

extension LoadResult {
  /// The result as a picture: a bar for each step, from its median to its slowest, over a logarithmic axis of time.
  ///
  /// An SVG that stands alone, in the colours of the light or the dark scheme.
  package var chart: String { LoadChart(self).svg }
}

/// Draws the result of a load.
private struct LoadChart {
  private let result: LoadResult
  private let rows: [LoadResult.Row]
  /// The powers of ten of a microsecond at the ends of the axis.
  private let low: Double, high: Double

  private static let width = 760.0, left = 24.0, top = 84.0, rowHeight = 48.0

  init(_ result: LoadResult) {
    self.result = result
    rows = result.rows.filter { $0.latencies.count > 0 }
    let least = rows.map { Self.power($0.latencies.quantile(0.5)) }.min() ?? 3
    low = least.rounded(.down)
    high = max(low + 1, (rows.map { Self.power($0.latencies.longest) }.max() ?? 4).rounded(.up))
  }

  /// The power of ten of a duration in microseconds.
  private static func power(_ duration: Duration) -> Double { log10(max(1, duration / .microseconds(1))) }

  private func x(_ duration: Duration) -> Double {
    Self.left + (Self.power(duration) - low) / (high - low) * (Self.width - 2 * Self.left)
  }

  var svg: String {
    let bottom = Self.top + Double(max(1, rows.count)) * Self.rowHeight
    let name = result.plan.file.split(separator: "/").last.map(String.init) ?? ""
    let title = "\(name): \(result.plan.visitors) visitors for \(result.plan.duration.readable)"
    let drawn = rows.enumerated().map { index, row in
      draw(row, at: Self.top + Double(index) * Self.rowHeight)
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(Self.width)) \(number(bottom + 12))" role="img" \
      aria-labelledby="title summary" font-family="system-ui, sans-serif" font-size="13">
      <title id="title">\(escaped(title))</title>
      <desc id="summary">\(escaped(rows.map(sentence).joined(separator: " ")))</desc>
      <style>
      .ground { fill: #ffffff } .text { fill: #222222 } .pale { fill: #5c5c5c } .line { stroke: #dddddd }
      .bar { fill: #9ecae1 } .median { fill: #0072b2 } .tick { stroke: #0072b2; stroke-width: 2 } .slowest { fill: #d55e00 }
      @media (prefers-color-scheme: dark) {
      .ground { fill: #1b1b1b } .text { fill: #eeeeee } .pale { fill: #b0b0b0 } .line { stroke: #444444 }
      .bar { fill: #2f5d7c } .median { fill: #56b4e9 } .tick { stroke: #56b4e9 } .slowest { fill: #e69f00 }
      }
      </style>
      <rect width="100%" height="100%" class="ground"/>
      <text x="\(number(Self.left))" y="24" font-size="15" class="text">\(escaped(title))</text>
      <text x="\(number(Self.left))" y="44" class="pale">\(escaped(legend))</text>
      \(axis(to: bottom))
      \(drawn.joined(separator: "\n"))
      </svg>

      """
  }

  private var legend: String {
    "\(result.rounds) rounds, \(result.failures.values.reduce(0, +)) failed. "
      + "Circle: median, ticks: 95 and 99 per cent, square: the slowest."
  }

  private func axis(to bottom: Double) -> String {
    (Int(low)...Int(high)).map { power in
      let duration = Duration.microseconds(pow(10, Double(power)))
      let x = number(x(duration))
      let anchor = power == Int(low) ? "start" : power == Int(high) ? "end" : "middle"
      return """
        <line x1="\(x)" y1="\(number(Self.top - 10))" x2="\(x)" y2="\(number(bottom))" class="line"/>
        <text x="\(x)" y="\(number(Self.top - 16))" text-anchor="\(anchor)" class="pale">\(duration.precise)</text>
        """
    }.joined(separator: "\n")
  }

  private func draw(_ row: LoadResult.Row, at y: Double) -> String {
    let latencies = row.latencies
    let (median, slowest) = (x(latencies.quantile(0.5)), x(latencies.longest))
    let middle = y + 28
    let ticks = [0.95, 0.99].map { share in
      let x = number(x(latencies.quantile(share)))
      return """
        <line x1="\(x)" y1="\(number(middle - 7))" x2="\(x)" y2="\(number(middle + 7))" class="tick"/>
        """
    }
    let end = number(Self.width - Self.left)
    return """
      <text x="\(number(Self.left))" y="\(number(y + 14))" class="text">\(escaped(String(row.name.prefix(60))))</text>
      <text x="\(end)" y="\(number(y + 14))" text-anchor="end" class="pale">\(latencies.quantile(0.5).precise) · \
      \(latencies.quantile(0.95).precise) · \(latencies.quantile(0.99).precise) · \(latencies.longest.precise)</text>
      <rect x="\(number(median))" y="\(number(middle - 4))" width="\(number(max(1, slowest - median)))" height="8" class="bar"/>
      \(ticks.joined(separator: "\n"))
      <circle cx="\(number(median))" cy="\(number(middle))" r="6" class="median"/>
      <rect x="\(number(slowest - 4))" y="\(number(middle - 4))" width="8" height="8" class="slowest"/>
      """
  }

  private func sentence(_ row: LoadResult.Row) -> String {
    "\(row.name): \(row.latencies.count) times, median \(row.latencies.quantile(0.5).precise), "
      + "99 per cent within \(row.latencies.quantile(0.99).precise)."
  }

  private func number(_ value: Double) -> String { String(format: "%.1f", value) }

  private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
