// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Prints tables for people and JSON lines for programs.
final class Report {
  /// The figures that are compared with thresholds, by name.
  private(set) var findings: [String: Finding] = [:]
  /// What the design wants, in the order in which it was measured.
  private(set) var budgets: [Budget] = []
  private let json: FileHandle?
  private let encoder = JSONEncoder()
  private let documents: [Document]
  private var remarks: [String] = []
  private var region = Mode.echo.rawValue
  private var mode = Mode.echo
  private var tables: [String] = []

  /// - Parameter options: The file for JSON lines, which is replaced, and the documents that get the tables.
  /// - Throws: `BenchError` if the file cannot be written.
  init(_ options: Options) throws(BenchError) {
    encoder.outputFormatting = [.sortedKeys]
    documents = options.markdownPaths.map(Document.init)
    guard let path = options.jsonPath else {
      json = nil
      return
    }
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else { throw BenchError("cannot write \(path)") }
    json = file
  }

  /// Begins with a mode, whose tables go into the region of its name.
  func begin(_ mode: Mode) {
    self.mode = mode
    begin(region: mode.rawValue)
  }

  private func begin(region: String) {
    self.region = region
    tables = []
  }

  /// Writes one JSON line.
  ///
  /// - Parameter value: The value to write as one object.
  /// - Throws: `BenchError` if the disk is full or the like.
  func record(_ value: some Encodable) throws(BenchError) {
    guard let json else { return }
    do {
      try json.write(contentsOf: encoder.encode(value) + Data("\n".utf8))
    } catch {
      throw BenchError("cannot write JSON: \(error.localizedDescription)")
    }
  }

  /// Notes a figure that thresholds may exist for; of several tries the best counts.
  ///
  /// - Parameters:
  ///   - kind: How it is compared.
  ///   - name: Its name.
  ///   - value: The figure; nil if it could not be found.
  func find(_ kind: Finding.Kind, _ name: String, _ value: Double?) {
    guard var value else { return }
    if let before = findings[name]?.value {
      value = kind == .ratio ? max(before, value) : min(before, value)
    }
    findings[name] = Finding(kind: kind, mode: mode, value: value)
  }

  /// Notes a figure that the design has a budget for; a later try takes the place of an earlier one.
  ///
  /// - Parameters:
  ///   - name: The measured quantity, and its unit.
  ///   - bound: Which side of the limit is right.
  ///   - limit: The budget.
  ///   - reached: The figure; nil if it could not be found.
  func budget(_ name: String, _ bound: Budget.Bound, _ limit: Double, reached: Double?) {
    let budget = Budget(name: name, bound: bound, limit: limit, reached: reached)
    if let index = budgets.firstIndex(where: { $0.name == name }) {
      budgets[index] = budget
    } else {
      budgets.append(budget)
    }
  }

  /// Prints a table of all budgets of this run, which goes into the region `budgets` of the documents.
  ///
  /// - Throws: `BenchError` if JSON or a document cannot be written.
  func showBudgets() throws(BenchError) {
    guard !budgets.isEmpty else { return }
    for budget in budgets { try record(budget) }
    begin(region: "budgets")
    try table(
      "Budgets of the design", header: ["<figure", "<budget", "reached", "<holds"], rows: budgets.map(\.cells)
    )
  }

  /// Prints a sentence about the whole run, which also goes into a region of the documents.
  ///
  /// - Parameters:
  ///   - region: The region's name.
  ///   - text: The sentence.
  /// - Throws: `BenchError` if a document cannot be written.
  func say(_ region: String, _ text: String) throws(BenchError) {
    print(text)
    for document in documents { try document.replace(region, by: text + "\n") }
  }

  /// Prints a table whose columns are as wide as they need to be.
  ///
  /// - Parameters:
  ///   - title: A line above it.
  ///   - header: The columns' names; those that begin with `<` are aligned to the left.
  ///   - rows: As many cells as columns each.
  /// - Throws: `BenchError` if a document cannot be written.
  func table(_ title: String, header: [String], rows: [[String]]) throws(BenchError) {
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
    fflush(nil)
    tables.append(Document.table(title, header: header, rows: rows, remarks: remarks))
    for document in documents { try document.replace(region, by: tables.joined(separator: "\n")) }
    remarks = []
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
