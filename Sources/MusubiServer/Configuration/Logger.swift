// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Writes one line per event to standard error, for people or as JSON for machines.
///
/// Secrets (tokens, cookies, query values) must not be handed to it.
package struct Logger: Sendable {
  /// How grave an event is.
  package enum Level: String, CaseIterable, Comparable, Sendable {
    case debug, info, warning, error

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .debug: 0
      case .info: 1
      case .warning: 2
      case .error: 3
      }
    }
  }

  /// How a line looks.
  package enum Format: String, CaseIterable, Sendable {
    case text, json
  }

  /// Lighter events are not written.
  package var level: Level
  package var format: Format
  private let sink: @Sendable (String) -> Void

  /// Makes a logger.
  ///
  /// - Parameters:
  ///   - level: The lightest level that is written.
  ///   - format: How a line looks.
  ///   - sink: Takes a line without its end; nil for standard error.
  package init(
    level: Level = .info, format: Format = .text, sink: (@Sendable (String) -> Void)? = nil
  ) {
    self.level = level
    self.format = format
    self.sink = sink ?? writeToStandardError
  }

  /// Writes an event with its fields, if the level allows.
  ///
  /// - Parameters:
  ///   - level: How grave it is.
  ///   - event: What happened, in a few fixed words.
  ///   - fields: The circumstances; evaluated only if the line is written.
  package func log(
    _ level: Level, _ event: String, _ fields: @autoclosure () -> KeyValuePairs<String, String> = [:]
  ) {
    guard level >= self.level else { return }
    log(level, event, fields().map { ($0.key, $0.value) })
  }

  /// The same, with fields in a list.
  package func log(_ level: Level, _ event: String, _ fields: [(String, String)]) {
    guard level >= self.level else { return }
    let fields = fields.map { ($0, Self.cut($1)) }
    sink(format == .text ? textLine(level, event, fields) : jsonLine(level, event, fields))
  }

  /// The longest value, in bytes of UTF-8.
  private static let maxValueBytes = 200

  /// A value that is no longer than it may be; a cut one ends with an ellipsis.
  private static func cut(_ value: String) -> String {
    guard value.utf8.count > maxValueBytes else { return value }
    let mark = "…"
    var end = value.startIndex
    var bytes = mark.utf8.count
    for scalar in value.unicodeScalars {
      bytes += UTF8.width(scalar)
      guard bytes <= maxValueBytes else { break }
      end = value.unicodeScalars.index(after: end)
    }
    return value[..<end] + mark
  }

  private func textLine(_ level: Level, _ event: String, _ fields: [(String, String)]) -> String {
    var line = "\(Timestamp.now.text) \(level.rawValue) \(event)"
    for (name, value) in fields { line += " \(name)=\(Self.text(value))" }
    return line
  }

  /// A value as a person reads it best: bare if nothing can be mistaken; between backquotes, untouched, if it has
  /// quotation marks, as JSON has; else as a JSON string, so that a line stays one line.
  private static func text(_ value: String) -> String {
    let bytes = value.utf8
    guard !value.unicodeScalars.contains(where: JSONText.isInvisible) else { return JSONText.string(value) }
    let isPlain =
      bytes.allSatisfy { $0 != 0x22 && $0 != 0x60 }
      && !value.unicodeScalars.contains(where: \.properties.isWhitespace)
    if isPlain, !value.isEmpty { return value }
    let hasQuotes = bytes.contains { $0 == 0x22 || $0 == 0x5C }
    if hasQuotes, !bytes.contains(0x60) { return "`\(value)`" }
    return JSONText.string(value)
  }

  private func jsonLine(_ level: Level, _ event: String, _ fields: [(String, String)]) -> String {
    var line =
      "{\"time\":\"\(Timestamp.now.text)\",\"level\":\"\(level.rawValue)\",\"event\":\(JSONText.string(event))"
    for (name, value) in fields { line += ",\(JSONText.string(name)):\(JSONText.string(value))" }
    return line + "}"
  }
}

/// One write, so that lines of several threads do not mix.
private func writeToStandardError(_ line: String) {
  var line = line
  line += "\n"
  // Nobody is left to be told that the log cannot be written.
  _ = line.withUTF8 { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
