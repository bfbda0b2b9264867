// SPDX-License-Identifier: Apache-2.0

/// Reads one line of a script from left to right.
///
/// The meaning of a `/` or a `#` depends on its place (an address, a regular expression, a comment), so the
/// parser asks for the expected element instead of receiving tokens.
struct LineScanner {
  private let characters: [Character]
  private let file: String
  private let line: Int
  /// How many characters have been taken.
  var offset = 0

  init(_ text: some StringProtocol, file: String, line: Int) {
    characters = Array(text)
    self.file = file
    self.line = line
  }

  /// Where the next character stands.
  var location: SourceLocation { location(at: offset) }

  func location(at offset: Int) -> SourceLocation {
    SourceLocation(file: file, line: line, column: offset + 1)
  }

  func failure(_ message: String, at offset: Int? = nil) -> ScriptError {
    ScriptError(location(at: offset ?? self.offset), message)
  }

  /// The next character; nil at the end of the line.
  var peeked: Character? { offset < characters.count ? characters[offset] : nil }

  /// The text between two offsets.
  func text(from start: Int, to end: Int) -> String { String(characters[start..<end]) }

  mutating func skipSpace() {
    while let character = peeked, character.isWhitespace { offset += 1 }
  }

  /// Whether nothing but space and a comment is left; skips the space.
  mutating func isAtEnd() -> Bool {
    skipSpace()
    return peeked == nil || peeked == "#"
  }

  /// Takes the character if it comes next.
  mutating func take(_ character: Character) -> Bool {
    guard peeked == character else { return false }
    offset += 1
    return true
  }

  /// Takes the character if nothing but space is in front of it.
  mutating func takeBehindSpace(_ character: Character) -> Bool {
    skipSpace()
    return take(character)
  }

  /// Takes the text if it comes next, whatever follows.
  mutating func take(_ text: String) -> Bool {
    let wanted = Array(text)
    guard offset + wanted.count <= characters.count,
      Array(characters[offset..<offset + wanted.count]) == wanted
    else { return false }
    offset += wanted.count
    return true
  }

  /// Takes characters while the predicate holds.
  mutating func takeWhile(_ predicate: (Character) -> Bool) -> String {
    let start = offset
    while let character = peeked, predicate(character) { offset += 1 }
    return text(from: start, to: offset)
  }

  /// Takes everything up to the next space; empty at the end of the line.
  mutating func takeWord() -> String {
    skipSpace()
    return takeWhile { !$0.isWhitespace }
  }

  /// Takes the rest of the line, without the space around it.
  mutating func takeRest() -> String {
    skipSpace()
    var end = characters.count
    while end > offset, characters[end - 1].isWhitespace { end -= 1 }
    defer { offset = characters.count }
    return text(from: offset, to: end)
  }

  /// Takes a name: a letter or `_`, then letters, digits, `_` and `-`; empty if none comes next.
  mutating func takeName() -> String {
    guard let first = peeked, first.isLetter || first == "_" else { return "" }
    return takeWhile { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
  }
}

extension LineScanner {
  /// Takes a word and checks nothing else than that there is one.
  mutating func word(_ what: String) throws(ScriptError) -> String {
    guard !isAtEnd() else { throw failure("\(what) is missing here.") }
    return takeWord()
  }

  /// Takes a name.
  mutating func name(_ what: String) throws(ScriptError) -> String {
    skipSpace()
    let start = offset
    let name = takeName()
    guard !name.isEmpty else { throw failure("\(what) is missing here.", at: start) }
    return name
  }

  /// Takes a keyword that must stand here.
  mutating func keyword(_ wanted: String) throws(ScriptError) {
    skipSpace()
    let start = offset
    let word = takeWord()
    guard word == wanted else { throw failure("Expected '\(wanted)' here, not '\(word)'.", at: start) }
  }

  /// Takes a whole number of at least `minimum`.
  mutating func integer(_ what: String, minimum: Int = 0) throws(ScriptError) -> Int {
    skipSpace()
    let start = offset
    let word = takeWord()
    guard let number = Int(word), number >= minimum else {
      throw failure("\(what) is a whole number from \(minimum), not '\(word)'.", at: start)
    }
    return number
  }

  /// Takes a length of time such as `300ms` or `2s`.
  mutating func duration() throws(ScriptError) -> Duration {
    skipSpace()
    let start = offset
    let word = takeWord()
    guard let duration = Duration(scriptText: word) else {
      throw failure("A time is a number with 'ms' or 's', such as 300ms or 2s, not '\(word)'.", at: start)
    }
    return duration
  }

  /// Takes a regular expression between slashes; `\/` stands for a slash.
  mutating func regularExpression() throws(ScriptError) -> String {
    skipSpace()
    let start = offset
    guard take("/") else { throw failure("A regular expression stands between slashes, such as /^[0-9]+$/.") }
    var pattern = ""
    while let character = peeked, character != "/" {
      offset += 1
      guard character == "\\", let next = peeked else {
        pattern.append(character)
        continue
      }
      offset += 1
      pattern += next == "/" ? "/" : "\\\(next)"
    }
    guard take("/") else {
      throw failure("The closing slash of the regular expression is missing.", at: start)
    }
    do {
      _ = try Regex(pattern)
    } catch {
      throw failure("This regular expression cannot be read: \(error).", at: start)
    }
    return pattern
  }
}

extension Duration {
  /// Reads `300ms`, `2s` or `1.5s`.
  package init?(scriptText text: String) {
    let isMilliseconds = text.hasSuffix("ms")
    guard isMilliseconds || text.hasSuffix("s") else { return nil }
    guard let number = Double(text.dropLast(isMilliseconds ? 2 : 1)), number >= 0, number <= 86_400_000 else {
      return nil
    }
    self = .microseconds(Int64(number * (isMilliseconds ? 1_000 : 1_000_000) + 0.5))
  }
}
