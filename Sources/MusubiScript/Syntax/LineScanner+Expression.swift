// SPDX-License-Identifier: Apache-2.0

extension LineScanner {
  /// Takes a value: a quoted text, number, `true`, `false`, `null`, `$name` or path, perhaps with `* N` behind.
  mutating func expression() throws(ScriptError) -> Expression {
    let value = try simpleExpression()
    let end = offset
    skipSpace()
    guard take("*") else {
      offset = end
      return value
    }
    let count = try integer("The number of repetitions")
    guard count <= 10_000_000 else { throw failure("At most 10000000 repetitions are allowed.", at: end) }
    return .repeated(value, count)
  }

  private mutating func simpleExpression() throws(ScriptError) -> Expression {
    guard !isAtEnd() else { throw failure("A value is missing here.") }
    let start = offset
    switch peeked {
    case "\"": return .text(try quotedText())
    case "$":
      offset += 1
      return .variable(try name("A variable's name"))
    default: break
    }
    if let character = peeked, character.isNumber || character == "-" {
      let word = takeWord()
      guard let number = Double(word), number.isFinite else {
        throw failure("'\(word)' is no number.", at: start)
      }
      return .number(number)
    }
    let word = takeName()
    if peeked != ".", peeked != "[" {
      switch word {
      case "true": return .bool(true)
      case "false": return .bool(false)
      case "null": return .null
      default: break
      }
    }
    offset = start
    return .path(try path())
  }

  /// Takes a path: a client, then `.member`, `[2]` or `[member=value]`.
  mutating func path() throws(ScriptError) -> Path {
    skipSpace()
    let place = location
    let start = offset
    let client = takeName()
    guard !client.isEmpty else {
      throw failure(
        "Expected a value here: text in double quotes, a number, $name, or a path such as a.label.")
    }
    guard peeked == "." else {
      throw failure(
        "'\(client)' is no value; write text in double quotes, or a path such as \(client).label.", at: start)
    }
    var segments: [Path.Segment] = []
    while let character = peeked, character == "." || character == "[" {
      offset += 1
      segments.append(character == "." ? .member(try memberName()) : try subscription())
    }
    guard let last = peeked, !last.isWhitespace else {
      return Path(location: place, client: client, segments: segments)
    }
    throw failure("A path goes on with '.' or '[', not with '\(last)'.")
  }

  /// Takes a name, or that of a part of a long list: `cards/done`.
  private mutating func memberName() throws(ScriptError) -> String {
    var name = takeWhile { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    guard !name.isEmpty else { throw failure("A name is missing after the dot.") }
    guard take("/") else { return name }
    let part = takeWhile { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    guard !part.isEmpty else { throw failure("A part's name is missing after the slash.") }
    name += "/" + part
    return name
  }

  private mutating func subscription() throws(ScriptError) -> Path.Segment {
    let start = offset
    let word = takeWhile { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    guard !word.isEmpty else { throw failure("A row is [0] or [id=...].") }
    if take("]") {
      guard let index = Int(word), index >= 0 else {
        throw failure("A row's position is a whole number from 0, not '\(word)'.", at: start)
      }
      return .index(index)
    }
    guard take("=") else { throw failure("Expected ']' or '=' here.") }
    let value: Expression
    switch peeked {
    case "\"": value = .text(try quotedText())
    case "$":
      offset += 1
      value = .variable(try name("A variable's name"))
    default:
      let bare = takeWhile { $0 != "]" }
      guard !bare.isEmpty else { throw failure("The row's \(word) is missing.") }
      value = .text(Template([.text(bare)]))
    }
    guard take("]") else { throw failure("The closing ']' is missing.") }
    return .row(member: word, value)
  }

  /// Takes a text in double quotes, with `\n`, `\t`, `\r`, `\"`, `\\`, `\$` and `\u{1F600}`.
  mutating func quotedText() throws(ScriptError) -> Template {
    let start = offset
    guard take("\"") else { throw failure("A text stands in double quotes.") }
    var builder = TemplateBuilder()
    while let character = peeked, character != "\"" {
      offset += 1
      switch character {
      case "\\": builder.append(try escapedCharacter())
      case "$": try variable(into: &builder)
      default: builder.append(String(character))
      }
    }
    guard take("\"") else { throw failure("The closing quote is missing.", at: start) }
    return builder.template
  }

  private mutating func escapedCharacter() throws(ScriptError) -> String {
    guard let character = peeked else { throw failure("A backslash needs a character behind it.") }
    offset += 1
    switch character {
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "\"", "\\", "$", "/": return String(character)
    case "u":
      let start = offset
      guard take("{") else { throw failure("A character by number is written \\u{1F600}.") }
      let digits = takeWhile { $0.isHexDigit }
      guard take("}"), let number = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(number) else {
        throw failure("'\(digits)' is no character's number.", at: start)
      }
      return String(Character(scalar))
    default:
      throw failure(
        "Unknown escape '\\\(character)'; known are \\n \\t \\r \\\" \\\\ \\$ and \\u{...}.", at: offset - 1)
    }
  }

  /// Reads what follows a `$`: a variable, `${name}`, or `$$` for the character itself.
  private mutating func variable(into builder: inout TemplateBuilder) throws(ScriptError) {
    if take("$") { return builder.append("$") }
    let isBraced = take("{")
    let name = takeWhile { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    guard !name.isEmpty else {
      guard isBraced else { return builder.append("$") }
      throw failure("A variable's name is missing.")
    }
    if isBraced, !take("}") { throw failure("The closing '}' is missing.") }
    builder.append(variable: name)
  }

  /// Takes text that is not quoted, up to a space or to the end of the line, with variables.
  mutating func template(toEndOfLine: Bool, _ what: String) throws(ScriptError) -> Template {
    skipSpace()
    guard peeked != nil else { throw failure("\(what) is missing here.") }
    var builder = TemplateBuilder()
    while let character = peeked, toEndOfLine || !character.isWhitespace {
      offset += 1
      if character == "$" { try variable(into: &builder) } else { builder.append(String(character)) }
    }
    return builder.template
  }
}

/// Collects the pieces of a template, joining neighbouring text.
private struct TemplateBuilder {
  private var parts: [Template.Part] = []
  private var text = ""

  mutating func append(_ piece: String) { text += piece }

  mutating func append(variable name: String) {
    flush()
    parts.append(.variable(name))
  }

  private mutating func flush() {
    if !text.isEmpty { parts.append(.text(text)) }
    text = ""
  }

  var template: Template {
    var copy = self
    copy.flush()
    return Template(copy.parts)
  }
}
