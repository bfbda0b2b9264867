// SPDX-License-Identifier: Apache-2.0

/// The languages of the status screen, and how it writes numbers in them.
enum StatusLanguage: Equatable {
  case english, japanese

  /// The first of somebody's languages that the screen has; English if there is none.
  init(preferred: [String]) {
    let known = preferred.compactMap { tag -> StatusLanguage? in
      tag.hasPrefix("ja") ? .japanese : tag.hasPrefix("en") ? .english : nil
    }
    self = known.first ?? .english
  }

  /// The tag for `lang`.
  var tag: String { text("en", "ja") }

  /// The one of two texts that is in this language.
  func text(_ english: String, _ japanese: String) -> String { self == .japanese ? japanese : english }

  /// `12,345`, in both languages.
  func count(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return number < 0 ? "-" + text : text
  }

  /// Two digits or more: `0`, `0.4`, `9.9`, `12`, `1,234`.
  func number(_ value: Double) -> String {
    // A value that is no number, or too large for one, comes from a wrong report.
    guard value.isFinite, abs(value) < 1e15 else { return "–" }
    let tenths = Int((value * 10).rounded())
    guard tenths != 0, abs(tenths) < 100 else { return count(Int(value.rounded())) }
    return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }

  /// How many there are in a second; a dash if nobody knows yet.
  func rate(_ perSecond: Double?) -> String { perSecond.map(number) ?? "–" }

  /// `512 B`, `1.5 KiB`, `412 MiB`.
  func bytes(_ bytes: Int) -> String {
    var (value, units) = (Double(bytes), ["KiB", "MiB", "GiB", "TiB"][...])
    guard value >= 1_023.5 else { return "\(count(bytes)) B" }
    var unit = ""
    // 1,023.6 MiB would be written as 1,024.
    while value >= 1_023.5, let next = units.popFirst() { (value, unit) = (value / 1_024, next) }
    return "\(number(value)) \(unit)"
  }

  /// `0.4 ms`, `12 ms`, `1.5 s`.
  func duration(_ seconds: Double) -> String {
    guard abs(seconds) < 0.9995 else { return "\(number(seconds)) \(text("s", "秒"))" }
    guard seconds == 0 || abs(seconds) >= 0.000_999_5 else { return "\(number(seconds * 1e6)) µs" }
    return "\(number(seconds * 1e3)) ms"
  }

  /// A duration that may be at most so long, or is longer; a dash if nothing was measured.
  func duration(_ bound: DurationBound?) -> String {
    switch bound {
    case .atMost(let seconds): "≤ \(duration(seconds))"
    case .above(let seconds): "> \(duration(seconds))"
    case nil: "–"
    }
  }

  /// `3 d 4 h`, `4 h 12 min`, `12 min`, `34 s`.
  func span(_ seconds: Double) -> String {
    let seconds = Int(max(0, min(seconds, 1e12)))
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400)
    if days > 0 { return text("\(days) d \(hours % 24) h", "\(days)日\(hours % 24)時間") }
    if hours > 0 { return text("\(hours) h \(minutes % 60) min", "\(hours)時間\(minutes % 60)分") }
    if minutes > 0 { return text("\(minutes) min", "\(minutes)分") }
    return text("\(seconds) s", "\(seconds)秒")
  }
}
