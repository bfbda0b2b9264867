// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Prints tables for people and JSON lines for programs.
final class Report {
  private let json: FileHandle?
  private let encoder = JSONEncoder()
  private var remarks: [String] = []

  /// - Parameter jsonPath: The file for JSON lines, which is replaced; nil for none.
  /// - Throws: `BenchError` if the file cannot be written.
  init(jsonPath: String?) throws(BenchError) {
    encoder.outputFormatting = [.sortedKeys]
    guard let jsonPath else {
      json = nil
      return
    }
    guard FileManager.default.createFile(atPath: jsonPath, contents: nil),
      let file = FileHandle(forWritingAtPath: jsonPath)
    else { throw BenchError("cannot write \(jsonPath)") }
    json = file
  }

  /// Writes one JSON line.
  ///
  /// - Parameter value: What is written as one object.
  /// - Throws: `BenchError` if the disk is full or the like.
  func record(_ value: some Encodable) throws(BenchError) {
    guard let json else { return }
    do {
      try json.write(contentsOf: encoder.encode(value) + Data("\n".utf8))
    } catch {
      throw BenchError("cannot write JSON: \(error.localizedDescription)")
    }
  }

  /// Prints a table whose columns are as wide as they need to be.
  ///
  /// - Parameters:
  ///   - title: A line above it.
  ///   - header: The columns' names; those that begin with `<` are aligned to the left.
  ///   - rows: As many cells as columns each.
  func table(_ title: String, header: [String], rows: [[String]]) {
    let names = header.map { $0.hasPrefix("<") ? String($0.dropFirst()) : $0 }
    let widths = names.indices.map { column in ([names] + rows).map { $0[column].count }.max() ?? 0 }
    func line(_ cells: [String]) -> String {
      let padded = cells.indices.map { column in
        let gap = String(repeating: " ", count: max(0, widths[column] - cells[column].count))
        return header[column].hasPrefix("<") ? cells[column] + gap : gap + cells[column]
      }
      return "  " + padded.joined(separator: "  ")
    }
    print("\n\(title)\n\(line(names))")
    rows.forEach { print(line($0)) }
    for remark in remarks { print("  ! \(remark)") }
    remarks = []
    fflush(nil)
  }

  /// Adds a sentence below the next table.
  ///
  /// - Parameter sentence: What the reader must know to judge the figures.
  func remark(_ sentence: String) {
    if !remarks.contains(sentence) { remarks.append(sentence) }
  }
}

/// Writes a number as people read it: thousands separated, as many decimals as matter.
///
/// - Parameters:
///   - value: The number; nil becomes a dash.
///   - decimals: Digits after the point.
/// - Returns: The text.
func readable(_ value: Double?, decimals: Int = 0) -> String {
  guard let value, value.isFinite else { return "-" }
  let text = String(format: "%.\(decimals)f", value)
  let whole = text.prefix { $0 != "." }
  var grouped = ""
  for (index, digit) in whole.enumerated() {
    if index > 0, (whole.count - index).isMultiple(of: 3), grouped.last != "-" { grouped += "," }
    grouped.append(digit)
  }
  return grouped + text.dropFirst(whole.count)
}
