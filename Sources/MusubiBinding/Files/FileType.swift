// SPDX-License-Identifier: Apache-2.0

/// Which type a file has by its first bytes; its name counts only among texts.
package enum FileType {
  /// So many bytes are looked at.
  package static let headBytes = 512

  /// What stands for a type at the beginning of a file.
  private static let marks: [(type: String, bytes: [UInt8])] = [
    ("image/png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
    ("image/jpeg", [0xFF, 0xD8, 0xFF]),
    ("image/gif", Array("GIF87a".utf8)),
    ("image/gif", Array("GIF89a".utf8)),
    ("application/pdf", Array("%PDF-".utf8)),
    ("application/zip", [0x50, 0x4B, 0x03, 0x04]),
    ("application/zip", [0x50, 0x4B, 0x05, 0x06]),
  ]

  /// The type of a file.
  ///
  /// - Parameters:
  ///   - head: Its first bytes: `headBytes` of them, or all.
  ///   - name: Its name; a text is `text/csv` if that ends with `.csv`.
  /// - Returns: The media type; `application/octet-stream` if the bytes say nothing.
  package static func type(of head: [UInt8], name: String) -> String {
    if let mark = marks.first(where: { head.starts(with: $0.bytes) }) { return mark.type }
    if head.starts(with: "RIFF".utf8), head.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
    guard isText(head) else { return "application/octet-stream" }
    return name.lowercased().hasSuffix(".csv") ? "text/csv" : "text/plain"
  }

  /// Whether a type is one of those that are asked for: `image/png`, `image/*` or `*/*`.
  package static func isOne(_ type: String, of patterns: [String]) -> Bool {
    patterns.contains { pattern in
      pattern == "*/*" || pattern == type || pattern.hasSuffix("/*") && type.hasPrefix(pattern.dropLast())
    }
  }

  /// Whether a text is such a pattern.
  package static func isPattern(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), text == text.lowercased() else { return false }
    return !parts[0].contains("*") && (parts[1] == "*" || !parts[1].contains("*")) || text == "*/*"
  }

  /// Whether bytes are UTF-8 without control characters but tab and ends of line; a character may be cut off at the end.
  private static func isText(_ head: [UInt8]) -> Bool {
    let hasControls = head.contains { $0 < 0x20 && ![0x09, 0x0A, 0x0C, 0x0D].contains($0) || $0 == 0x7F }
    guard !head.isEmpty, !hasControls else { return false }
    let most = head.count < headBytes ? 0 : 3
    return (0...most).contains { String(validating: head.dropLast($0), as: UTF8.self) != nil }
  }
}
