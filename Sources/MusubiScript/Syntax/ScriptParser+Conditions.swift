// SPDX-License-Identifier: Apache-2.0
import MusubiText

extension ScriptParser {
  /// Parses what stands behind `expect` or `still`.
  func condition(_ scanner: inout LineScanner) throws(ScriptError) -> Condition {
    if let condition = try clientCondition(&scanner) { return condition }
    let left = try value(&scanner)
    scanner.skipSpace()
    let start = scanner.offset
    if scanner.take("~") { return .matches(left, pattern: try scanner.regularExpression()) }
    if let comparison = takeComparison(&scanner) { return .comparison(left, comparison, try value(&scanner)) }
    switch scanner.takeWord() {
    case "is":
      guard case .path(let path) = left else {
        throw scanner.failure("Only a path can be missing.", at: start)
      }
      scanner.skipSpace()
      let end = scanner.offset
      switch scanner.takeWord() {
      case "missing": return .presence(path, isPresent: false)
      case "present": return .presence(path, isPresent: true)
      case let word: throw scanner.failure("Expected 'missing' or 'present', not '\(word)'.", at: end)
      }
    case let word:
      throw scanner.failure(
        "Expected = != < > <= >= ~ 'is missing' or 'is present' here, not '\(word.clipped)'.", at: start)
    }
  }

  private func takeComparison(_ scanner: inout LineScanner) -> Comparison? {
    Comparison.allCases.first { scanner.take($0.rawValue) }
  }

  /// Parses `a error CODE` and its relatives; nil, and nothing taken, if a value comes instead.
  private func clientCondition(_ scanner: inout LineScanner) throws(ScriptError) -> Condition? {
    var ahead = scanner
    ahead.skipSpace()
    let name = ahead.takeName()
    guard !name.isEmpty, let next = ahead.peeked, next.isWhitespace else { return nil }
    ahead.skipSpace()
    let start = ahead.offset
    let kind = ahead.takeWord()
    guard ["error", "close", "event", "resumed"].contains(kind) else {
      if ahead.isAtEnd() || clients.contains(name) {
        throw ahead.failure(
          "A client has error, close, event or resumed here; its values are \(name).label and so on.",
          at: start)
      }
      return nil
    }
    let client = try knownClient(&scanner)
    scanner = ahead
    switch kind {
    case "error": return .error(client: client, code: try scanner.word("The error's code"))
    case "close": return .close(client: client, code: try scanner.integer("The close code", minimum: 1000))
    case "event": return try event(client, &scanner)
    default: return .resumed(client: client, by: try resumeKind(&scanner))
    }
  }

  private func event(_ client: String, _ scanner: inout LineScanner) throws(ScriptError) -> Condition {
    let name = try scanner.word("The event's name")
    scanner.skipSpace()
    guard let comparison = takeComparison(&scanner) else {
      return .event(client: client, name: name, nil, nil)
    }
    return .event(client: client, name: name, comparison, try value(&scanner))
  }

  private func resumeKind(_ scanner: inout LineScanner) throws(ScriptError) -> ResumeKind {
    scanner.skipSpace()
    let start = scanner.offset
    let word = scanner.takeWord()
    if word == "afresh" { return .afresh }
    if word == "by" {
      let kind = scanner.takeWord()
      if kind == "patches" { return .patches }
      if kind == "snapshot" { return .snapshot }
    }
    throw scanner.failure("A client is resumed 'by patches', 'by snapshot' or 'afresh'.", at: start)
  }
}

// MARK: - Names

extension ScriptParser {
  /// Takes the name of a client that has been opened.
  func knownClient(_ scanner: inout LineScanner) throws(ScriptError) -> String {
    scanner.skipSpace()
    let place = scanner.location
    let name = try scanner.name("A client's name")
    if let next = scanner.peeked, !next.isWhitespace {
      throw scanner.failure("Only a client's name stands here, not a path.")
    }
    try check(client: name, place)
    return name
  }

  /// Takes a path whose client has been opened.
  func knownPath(_ scanner: inout LineScanner) throws(ScriptError) -> Path {
    let path = try scanner.path()
    try check(path)
    return path
  }

  /// Takes a value all of whose names are known.
  func value(_ scanner: inout LineScanner) throws(ScriptError) -> Expression {
    scanner.skipSpace()
    let place = scanner.location
    let value = try scanner.expression()
    try check(value, place)
    return value
  }

  /// Passes a template on if its variables are known.
  func known(_ template: Template, _ place: SourceLocation) throws(ScriptError) -> Template {
    for case .variable(let name) in template.parts { try check(variable: name, place) }
    return template
  }

  private func check(_ value: Expression, _ place: SourceLocation) throws(ScriptError) {
    switch value {
    case .text(let template): _ = try known(template, place)
    case .variable(let name): try check(variable: name, place)
    case .path(let path): try check(path)
    case .repeated(let inner, _): try check(inner, place)
    case .number, .bool, .null: break
    }
  }

  private func check(_ path: Path) throws(ScriptError) {
    try check(client: path.client, path.location)
    for case .row(_, let value) in path.segments { try check(value, path.location) }
  }

  private func check(client name: String, _ place: SourceLocation) throws(ScriptError) {
    guard !clients.contains(name) else { return }
    let hint = clients.sorted().nearest(to: name).first.map { " Did you mean '\($0)'?" } ?? ""
    throw ScriptError(place, "No client '\(name)' has been opened; write 'open \(name) /...' before.\(hint)")
  }

  private func check(variable name: String, _ place: SourceLocation) throws(ScriptError) {
    guard !variables.contains(name) else { return }
    let hint = variables.sorted().nearest(to: name).first.map { " Did you mean '$\($0)'?" } ?? ""
    throw ScriptError(place, "Nothing was saved as '\(name)'; write 'save \(name) = ...' before.\(hint)")
  }
}
