// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Panels of curves side by side, as an SVG that stands alone; both axes are logarithmic.
struct Chart {
  /// One server's curve.
  struct Line {
    let name: String
    let points: [(x: Double, y: Double)]
  }

  /// One coordinate system.
  struct Panel {
    let title: String
    let unit: String
    let lines: [Line]
  }

  let title: String
  let panels: [Panel]

  private static let width = 300.0, height = 190.0, left = 46.0, top = 64.0, gap = 24.0
  /// Colours that people with any kind of colour vision tell apart, after Okabe and Ito.
  private static let colours = ["#0072b2", "#d55e00", "#666666"]

  /// Writes the file.
  ///
  /// - Parameter path: Where.
  /// - Throws: `BenchError` if it cannot be written.
  func write(to path: String) throws(BenchError) {
    do { try svg.write(toFile: path, atomically: true, encoding: .utf8) } catch {
      throw BenchError("cannot write \(path): \(error.localizedDescription)")
    }
  }

  private var svg: String {
    let whole = Double(panels.count) * (Self.width + Self.left + Self.gap) + Self.gap
    let drawn = panels.indices.map { index in
      draw(panels[index], at: Self.left + Double(index) * (Self.width + Self.left + Self.gap))
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(whole)) \(number(Self.top + Self.height + 40))" \
      font-family="system-ui, sans-serif" font-size="12">
      <title>\(escaped(title))</title>
      <rect width="100%" height="100%" fill="#ffffff"/>
      <text x="\(number(Self.left))" y="20" font-size="13" fill="#222222">\(escaped(title))</text>
      \(legend)
      \(drawn.joined(separator: "\n"))
      </svg>

      """
  }

  private var legend: String {
    let names = panels.first?.lines.map(\.name) ?? []
    return names.enumerated().map { index, name in
      let x = Self.left + Double(index) * 150
      return """
        <circle cx="\(number(x + 5))" cy="36" r="4" fill="\(colour(index))"/>\
        <text x="\(number(x + 14))" y="40" fill="#222222">\(escaped(name))</text>
        """
    }.joined(separator: "\n")
  }

  private func draw(_ panel: Panel, at x: Double) -> String {
    let points = panel.lines.flatMap(\.points)
    let across = Scale(points.map(\.x), from: x, to: x + Self.width)
    let up = Scale(points.map(\.y), from: Self.top + Self.height, to: Self.top)
    let bottom = Self.top + Self.height
    var parts = [
      "<text x=\"\(number(x))\" y=\"\(number(Self.top - 6))\" fill=\"#222222\">\(escaped(panel.title))</text>"
    ]
    for mark in up.marks {
      let y = up.place(mark)
      parts.append(line(x, y, x + Self.width, y))
      parts.append(label("\(short(mark)) \(panel.unit)", x - 4, y + 4, anchor: "end"))
    }
    for mark in across.marks {
      parts.append(line(across.place(mark), Self.top, across.place(mark), bottom))
      parts.append(label(short(mark), across.place(mark), bottom + 16, anchor: "middle"))
    }
    for (index, curve) in panel.lines.enumerated() {
      let places = curve.points.map { (across.place($0.x), up.place($0.y)) }
      let path = places.map { "\(number($0.0)),\(number($0.1))" }.joined(separator: " ")
      parts.append(
        "<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(colour(index))\" stroke-width=\"2\"/>")
      for (px, py) in places {
        parts.append("<circle cx=\"\(number(px))\" cy=\"\(number(py))\" r=\"3\" fill=\"\(colour(index))\"/>")
      }
    }
    return parts.joined(separator: "\n")
  }

  private func colour(_ index: Int) -> String { Self.colours[index % Self.colours.count] }

  private func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
    """
    <line x1="\(number(x1))" y1="\(number(y1))" x2="\(number(x2))" y2="\(number(y2))" stroke="#dddddd"/>
    """
  }

  private func label(_ text: String, _ x: Double, _ y: Double, anchor: String) -> String {
    """
    <text x="\(number(x))" y="\(number(y))" fill="#555555" text-anchor="\(anchor)">\(text)</text>
    """
  }

  private func number(_ value: Double) -> String { String(format: "%.1f", value) }

  private func short(_ value: Double) -> String {
    value >= 1_000 ? "\(Int(value / 1_000))k" : value >= 1 ? "\(Int(value))" : "\(value)"
  }

  private func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
  }

  /// A logarithmic axis from one power of ten to another.
  private struct Scale {
    let low: Double, high: Double, from: Double, to: Double

    init(_ values: [Double], from: Double, to: Double) {
      low = log10(max(values.min() ?? 1, 0.01)).rounded(.down)
      high = max(low + 1, log10(max(values.max() ?? 1, 0.01)).rounded(.up))
      self.from = from
      self.to = to
    }

    var marks: [Double] { (Int(low)...Int(high)).map { pow(10, Double($0)) } }

    func place(_ value: Double) -> Double {
      from + (log10(max(value, 0.01)) - low) / (high - low) * (to - from)
    }
  }
}
