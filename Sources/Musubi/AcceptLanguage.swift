// SPDX-License-Identifier: Apache-2.0

/// Reads the header field by which a browser tells the visitor's languages (RFC 9110, section 12.5.4).
enum AcceptLanguage {
  /// The language tags, the preferred one first; what cannot be read is left out.
  static func tags(in field: String?) -> [String] {
    let entries = (field ?? "").split(separator: ",").prefix(20).compactMap {
      entry -> (tag: String, weight: Double)? in
      let parts = entry.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
      guard let tag = parts.first, !tag.isEmpty, tag != "*" else { return nil }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      return weight > 0 ? (tag.lowercased(), weight) : nil
    }
    // Sorting keeps the order of equal weights.
    return entries.enumerated()
      .sorted { ($0.element.weight, -$0.offset) > ($1.element.weight, -$1.offset) }
      .map(\.element.tag)
  }
}
