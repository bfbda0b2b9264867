// SPDX-License-Identifier: Apache-2.0

/// A table as programs exchange it (CSV, RFC 4180).
struct Table {
  /// The cells of each row.
  private(set) var rows: [[String]] = []

  /// Reads a table, as far as it is one.
  init(_ text: String) {
    var (row, cell): ([String], String) = ([], "")
    var isQuoted = false
    var isEnd = false
    for character in text {
      switch character {
      case "\"" where isQuoted: (isQuoted, isEnd) = (false, true)
      case "\"" where cell.isEmpty && !isEnd: isQuoted = true
      // Two of them within quotes are one.
      case "\"" where isEnd:
        cell.append(character)
        (isQuoted, isEnd) = (true, false)
      case "," where !isQuoted:
        row.append(cell)
        (cell, isEnd) = ("", false)
      case "\n" where !isQuoted, "\r\n" where !isQuoted:
        rows.append(row + [cell])
        (row, cell, isEnd) = ([], "", false)
      default: cell.append(character)
      }
    }
    if !cell.isEmpty || !row.isEmpty || isEnd { rows.append(row + [cell]) }
  }
}
