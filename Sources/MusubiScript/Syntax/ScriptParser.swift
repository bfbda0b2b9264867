// SPDX-License-Identifier: Apache-2.0

/// Turns a script's text into steps.
///
/// Names of clients and variables are checked here, so that a misspelt one stops the script before it runs.
package struct ScriptParser {
  /// Reads an included file, named relative to the file that includes it.
  package typealias IncludeReader = (_ name: String, _ includer: String) throws -> (
    file: String, text: String
  )

  private struct Line {
    let number: Int
    let text: String
  }

  private let reader: IncludeReader
  var clients: Set<String> = []
  var variables: Set<String> = ["fresh", "round"]
  private var openFiles: [String] = []

  /// Makes a parser.
  ///
  /// - Parameter reader: Reads included files.
  package init(reader: @escaping IncludeReader) { self.reader = reader }

  /// Parses a script.
  ///
  /// - Parameters:
  ///   - text: The script.
  ///   - file: Its name, for messages and as the place from which includes are found.
  ///   - reader: Reads included files; without one, `include` is refused.
  /// - Returns: The script, ready to run.
  /// - Throws: `ScriptError` for the first line that cannot be understood.
  package static func parse(
    _ text: String, file: String, reader: @escaping IncludeReader = ScriptParser.refuseIncludes
  ) throws(ScriptError) -> Script {
    var parser = ScriptParser(reader: reader)
    return Script(file: file, steps: try parser.steps(of: text, file: file))
  }

  /// An include reader that has no files.
  package static func refuseIncludes(_ name: String, _ includer: String) throws -> (
    file: String, text: String
  ) {
    throw ScriptError(SourceLocation(file: includer, line: 1, column: 1), "there are no files here")
  }

  private mutating func steps(of text: String, file: String) throws(ScriptError) -> [Step] {
    openFiles.append(file)
    defer { openFiles.removeLast() }
    var lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }.enumerated().map {
      Line(number: $0.offset + 1, text: String($0.element.trimmedEnd))
    }[...]
    return try block(&lines, file: file, opener: nil)
  }

  /// Parses lines up to the `end` of the block that `opener` began, or to the end of the file.
  private mutating func block(
    _ lines: inout ArraySlice<Line>, file: String, opener: SourceLocation?
  ) throws(ScriptError) -> [Step] {
    var steps: [Step] = []
    while let line = lines.popFirst() {
      var scanner = LineScanner(line.text, file: file, line: line.number)
      if scanner.isAtEnd() { continue }
      let start = scanner.offset
      let place = scanner.location
      let verb = scanner.takeWord()
      switch verb {
      case "end":
        guard opener != nil else { throw scanner.failure("There is no block to end here.", at: start) }
        try finish(&scanner)
        return steps
      case "parallel", "repeat":
        var count = 1
        if verb == "repeat" { count = try scanner.integer("The number of repetitions", minimum: 1) }
        try finish(&scanner)
        let source = scanner.text(from: start, to: scanner.offset).trimmedEnd
        let inner = try block(&lines, file: file, opener: place)
        let action = verb == "parallel" ? Action.parallel(inner) : .repeats(count: count, inner)
        steps.append(Step(location: place, source: String(source), action: action))
      default:
        steps.append(try step(verb: verb, from: start, at: place, &scanner))
      }
    }
    if let opener { throw ScriptError(opener, "This block has no 'end'.") }
    return steps
  }

  /// Parses a step whose verb has been read, up to the end of its line.
  mutating func step(
    verb: String, from start: Int, at place: SourceLocation, _ scanner: inout LineScanner
  ) throws(ScriptError) -> Step {
    let action = try action(verb: verb, from: start, &scanner)
    let end = scanner.offset
    try finish(&scanner)
    let source = scanner.text(from: start, to: end).trimmedEnd
    return Step(location: place, source: String(source), action: action)
  }

  private mutating func finish(_ scanner: inout LineScanner) throws(ScriptError) {
    guard scanner.isAtEnd() else {
      throw scanner.failure("'\(scanner.takeRest().clipped)' is too much on this line.")
    }
  }

  /// Parses an included file in place.
  mutating func include(_ scanner: inout LineScanner) throws(ScriptError) -> Action {
    scanner.skipSpace()
    let place = scanner.location
    let name = try scanner.quotedText()
    guard case .text(let name)? = name.parts.first, let includer = openFiles.last else {
      throw ScriptError(place, "The file's name is missing.")
    }
    let file: (file: String, text: String)
    do {
      file = try reader(name, includer)
    } catch {
      throw ScriptError(place, "'\(name)' cannot be read. \(error).")
    }
    guard !openFiles.contains(file.file) else {
      throw ScriptError(place, "The file '\(name)' includes itself.")
    }
    return .include(try steps(of: file.text, file: file.file))
  }
}

extension StringProtocol {
  /// The text without the space at its end.
  var trimmedEnd: SubSequence {
    var end = endIndex
    while end > startIndex, self[index(before: end)].isWhitespace { end = index(before: end) }
    return self[startIndex..<end]
  }

  /// The text, cut to 80 characters for a message.
  var clipped: String { count <= 80 ? String(self) : "\(prefix(79))…" }
}
