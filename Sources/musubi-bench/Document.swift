// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A Markdown document with regions that the benchmark fills in.
///
/// A region is what stands between the lines `<!-- musubi-bench NAME -->` and `<!-- end -->`.
struct Document {
  let path: String

  /// Replaces a region.
  ///
  /// - Parameters:
  ///   - name: The region's name; nothing happens if the document has no such region.
  ///   - text: Its new contents.
  /// - Throws: `BenchError` if the document cannot be read or written, or if the region has no end.
  func replace(_ name: String, by text: String) throws(BenchError) {
    let old: String
    do { old = try String(contentsOfFile: path, encoding: .utf8) } catch {
      throw BenchError("cannot read \(path): \(error.localizedDescription)")
    }
    guard let begin = old.range(of: "<!-- musubi-bench \(name) -->\n") else { return }
    guard let end = old.range(of: "<!-- end -->", range: begin.upperBound..<old.endIndex) else {
      throw BenchError("\(path) has no <!-- end --> after <!-- musubi-bench \(name) -->")
    }
    let new = old.replacingCharacters(in: begin.upperBound..<end.lowerBound, with: "\n\(text)\n")
    do { try new.write(toFile: path, atomically: true, encoding: .utf8) } catch {
      throw BenchError("cannot write \(path): \(error.localizedDescription)")
    }
  }

  /// A table as Markdown.
  ///
  /// - Parameters:
  ///   - title: A line above it.
  ///   - header: The columns' names; those that begin with `<` are aligned to the left.
  ///   - rows: As many cells as columns each.
  ///   - remarks: Sentences below it.
  /// - Returns: The text.
  static func table(_ title: String, header: [String], rows: [[String]], remarks: [String]) -> String {
    func line(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }
    let names = header.map { $0.hasPrefix("<") ? String($0.dropFirst()) : $0 }
    let rules = header.map { $0.hasPrefix("<") ? "---" : "---:" }
    let table = ([line(names), line(rules)] + rows.map(line)).joined(separator: "\n")
    let notes = remarks.isEmpty ? "" : "\n" + remarks.map { "- \($0)\n" }.joined()
    return "\(title):\n\n\(table)\n\(notes)"
  }
}
