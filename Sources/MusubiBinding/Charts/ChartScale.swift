// SPDX-License-Identifier: Apache-2.0

/// The values between which a chart draws, in the ViewModel's unit.
struct ChartScale: Equatable {
  let low: Double
  let high: Double

  /// A scale that was chosen, or one with round ends around some values.
  init(_ chosen: ClosedRange<Double>?, around values: some Sequence<Double>) {
    if let chosen, chosen.lowerBound.isFinite, chosen.upperBound.isFinite,
      chosen.lowerBound < chosen.upperBound
    {
      (low, high) = (chosen.lowerBound, chosen.upperBound)
      return
    }
    // Far apart as numbers can be, their difference is none.
    let (least, most) = (max(values.min() ?? 0, -Self.most), min(values.max() ?? 1, Self.most))
    let span = most - least
    guard span > 0 else {
      (low, high) = (least - 1 < least ? least - 1 : least.nextDown, most + 1 > most ? most + 1 : most.nextUp)
      return
    }
    let step = Self.step(span)
    (low, high) = ((least / step).rounded(.down) * step, (most / step).rounded(.up) * step)
  }

  /// What is larger is drawn at the edge.
  private static let most = 1e300

  /// A fifth to a half of a span: 1, 2 or 5 of some power of ten.
  private static func step(_ span: Double) -> Double {
    var power = 1.0
    while power * 10 <= span { power *= 10 }
    while power > span { power /= 10 }
    return power * (span / power < 2 ? 0.2 : span / power < 5 ? 0.5 : 1)
  }

  /// From where on points are counted so that numbers of 32 bits tell them apart: as before, as long as that is near.
  ///
  /// - Parameters:
  ///   - before: The first number and the value from which they were counted.
  ///   - start: The number of the oldest value.
  ///   - round: Numbers move on by whole rounds of a drawing's pieces.
  /// - Returns: The two.
  func origin(
    from before: (number: Int, value: Double), _ start: Int, round: Int
  ) -> (number: Int, value: Double) {
    let isNear = 0..<50_000 ~= start - before.number
    let isClose = abs(low - before.value) <= 1_000 * (high - low)
    return (isNear ? before.number : start / round * round, isClose ? before.value : low)
  }

  /// Ten to the number of decimals that show a thousandth of the scale.
  var precision: Double {
    var factor = 1.0
    while (high - low) * factor < 1_000, factor < 1e12 { factor *= 10 }
    return factor
  }

  /// A number with so many decimals as SVG reads it: ten to their number.
  static func text(_ value: Double, precision: Double) -> String {
    // Nothing below zero is no number for people.
    let text = "\((value * precision).rounded() / precision + 0)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// A number for people, with its unit: four digits that matter, or more where others differ by less.
  ///
  /// - Parameters:
  ///   - value: The number.
  ///   - spread: By how much the numbers beside it differ.
  ///   - unit: What stands behind it.
  /// - Returns: The text.
  static func text(_ value: Double, spread: Double = 0, unit: String = "") -> String {
    var factor = 1.0
    while factor < 1e9, abs(value) * factor < 1_000 || (spread > 0 && spread * factor < 100) { factor *= 10 }
    return text(value, precision: factor) + unit
  }
}
