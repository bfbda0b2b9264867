// SPDX-License-Identifier: Apache-2.0

/// What the design wants a figure to be at least, or at most.
struct Budget: Encodable {
  /// Which side of the limit is right.
  enum Bound: String, Encodable {
    case atLeast = "at least"
    case atMost = "at most"
  }

  /// The measured quantity, and its unit.
  let name: String
  let bound: Bound
  let limit: Double
  /// What this run found; nil if it could not.
  let reached: Double?

  /// Whether the figure is on the right side.
  var holds: Bool? {
    guard let reached else { return nil }
    return bound == .atLeast ? reached >= limit : reached <= limit
  }

  /// The cells of its row.
  var cells: [String] {
    let verdict = holds.map { $0 ? "yes" : "no" } ?? "-"
    return [name, "\(bound.rawValue) \(number(limit))", number(reached), verdict]
  }

  /// Small numbers are ratios, of which two decimals matter.
  private func number(_ value: Double?) -> String { readable(value, decimals: limit < 10 ? 2 : 0) }
}
