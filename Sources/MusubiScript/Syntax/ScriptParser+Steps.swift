// SPDX-License-Identifier: Apache-2.0
import MusubiText
import MusubiWire

extension ScriptParser {
  private static let verbs = [
    "open", "expect", "still", "type", "erase", "caret", "set", "tap", "drag", "look", "upload", "settle",
    "drop",
    "resume",
    "reload",
    "close",
    "raw", "save", "stall", "wake", "delay", "cut", "kill", "stop", "restart", "back", "answer", "cookie",
    "parallel",
    "repeat", "within", "include", "end",
  ]

  mutating func action(verb: String, from start: Int, _ scanner: inout LineScanner) throws(ScriptError)
    -> Action
  {
    switch verb {
    case "open": return try open(&scanner)
    case "expect": return .expect(try condition(&scanner))
    case "still": return try still(&scanner)
    case "settle": return .settle
    case "raw": return try raw(&scanner)
    case "save": return try save(&scanner)
    case "cookie": return try cookie(&scanner)
    case "kill", "stop", "restart":
      try scanner.keyword("server")
      return verb == "kill" ? .killServer : verb == "stop" ? .stopServer : .restartServer
    case "include": return try include(&scanner)
    case "within": return try within(&scanner)
    case "type", "erase", "caret", "set", "tap", "drag", "look", "upload": return try input(verb, &scanner)
    case "drop", "resume", "reload", "close", "stall", "wake", "delay", "cut", "back", "answer":
      return try clientAction(verb, &scanner)
    default:
      let hint = Self.verbs.nearest(to: verb).first.map { " Did you mean '\($0)'?" } ?? ""
      throw scanner.failure("There is no step '\(verb.clipped)'.\(hint)", at: start)
    }
  }

  private func input(_ verb: String, _ scanner: inout LineScanner) throws(ScriptError) -> Action {
    let path = try knownPath(&scanner)
    guard case .member? = path.segments.last else {
      throw ScriptError(path.location, "An input is named last, such as \(path.client).contents[0].delete.")
    }
    switch verb {
    case "tap": return .tap(path)
    case "drag": return .drag(path, try rowDestination(&scanner))
    case "look":
      try scanner.keyword("from")
      let first = try scanner.integer("The place of the first row")
      try scanner.keyword("count")
      let count = try scanner.integer("The number of rows", minimum: 1)
      guard !scanner.isAtEnd() else { return .look(path, first: first, count: count, word: nil) }
      try scanner.keyword("word")
      return .look(path, first: first, count: count, word: try value(&scanner))
    case "upload":
      scanner.skipSpace()
      let place = scanner.location
      let name = try known(scanner.template(toEndOfLine: false, "The file's name"), place)
      let folder = place.file.lastIndex(of: "/").map { String(place.file[...$0]) } ?? ""
      return .upload(path, folder: folder, name)
    case "type": return .type(path, try value(&scanner))
    case "set": return .set(path, try value(&scanner))
    case "erase": return .erase(path, count: try scanner.integer("The number of characters", minimum: 1))
    default: return .caret(path, try caretPlace(&scanner))
    }
  }

  private func rowDestination(_ scanner: inout LineScanner) throws(ScriptError) -> RowDestination {
    scanner.skipSpace()
    let start = scanner.offset
    let word = try scanner.word("Where the row goes, before or to,")
    guard word == "before" || word == "to" else {
      throw scanner.failure(
        "A row goes 'before' another one or 'to' a list, not '\(word.clipped)'.", at: start)
    }
    let path = try knownPath(&scanner)
    let isList = if case .member? = path.segments.last { true } else { false }
    guard isList == (word == "to") else {
      throw ScriptError(
        path.location,
        word == "to"
          ? "A list is named last, such as \(path.client).chores."
          : "A row is named last, such as \(path.client).chores[0].")
    }
    return isList ? .end(of: path) : .before(path)
  }

  private func caretPlace(_ scanner: inout LineScanner) throws(ScriptError) -> CaretPlace {
    scanner.skipSpace()
    let start = scanner.offset
    switch try scanner.word("The caret's place") {
    case "start": return .start
    case "end": return .end
    case "all": return .all
    case let word:
      guard let offset = Int(word), offset >= 0 else {
        throw scanner.failure(
          "A caret goes to start, end, all or a number of characters, not '\(word)'.", at: start)
      }
      return .offset(offset)
    }
  }

  private func clientAction(_ verb: String, _ scanner: inout LineScanner) throws(ScriptError) -> Action {
    let client = try knownClient(&scanner)
    switch verb {
    case "drop": return .drop(client: client)
    case "resume": return .resume(client: client)
    case "reload": return .reload(client: client)
    case "close": return .close(client: client)
    case "stall": return .stall(client: client)
    case "wake": return .wake(client: client)
    case "delay": return .delay(client: client, try lineConditions(&scanner))
    case "back": return .back(client: client)
    case "answer": return .answer(client: client, try value(&scanner))
    default: return try cut(client, &scanner)
    }
  }

  private func lineConditions(_ scanner: inout LineScanner) throws(ScriptError) -> LineConditions {
    var conditions = LineConditions(latency: try scanner.duration())
    var words: Set<String> = []
    while !scanner.isAtEnd() {
      let start = scanner.offset
      let word = scanner.takeWord()
      switch word {
      case "jitter": conditions.jitter = try scanner.duration()
      case "loss": conditions.loss = try loss(&scanner)
      default:
        throw scanner.failure(
          "A delay goes on with jitter and loss, such as jitter 50ms loss 5%, not with '\(word.clipped)'.",
          at: start)
      }
      guard words.insert(word).inserted else {
        throw scanner.failure("'\(word)' stands here twice.", at: start)
      }
    }
    return conditions
  }

  private func loss(_ scanner: inout LineScanner) throws(ScriptError) -> Int {
    scanner.skipSpace()
    let start = scanner.offset
    let word = scanner.takeWord()
    guard word.hasSuffix("%"), let loss = Int(word.dropLast()), (0...LineConditions.maxLoss).contains(loss)
    else {
      throw scanner.failure(
        "Loss is a whole number from 0% to \(LineConditions.maxLoss)%, such as 5%, not '\(word.clipped)'.",
        at: start)
    }
    return loss
  }

  private func cut(_ client: String, _ scanner: inout LineScanner) throws(ScriptError) -> Action {
    try scanner.keyword("after")
    let bytes = try scanner.integer("The number of bytes")
    try scanner.keyword("bytes")
    guard !scanner.isAtEnd() else { return .cut(client: client, bytes: bytes, .sent) }
    let start = scanner.offset
    switch scanner.takeWord() {
    case "sent": return .cut(client: client, bytes: bytes, .sent)
    case "received": return .cut(client: client, bytes: bytes, .received)
    case let word: throw scanner.failure("Bytes are 'sent' or 'received', not '\(word)'.", at: start)
    }
  }

  private mutating func open(_ scanner: inout LineScanner) throws(ScriptError) -> Action {
    let client = try scanner.name("The client's name")
    guard !scanner.isAtEnd() else {
      throw scanner.failure("An address such as /number?room=$fresh is missing here.")
    }
    let start = scanner.offset
    guard scanner.peeked == "/" else {
      guard scanner.takeWord() == "like" else {
        throw scanner.failure(
          "Expected an address such as /number?room=$fresh, or 'like' and a client.", at: start)
      }
      let model = try knownClient(&scanner)
      clients.insert(client)
      return .openLike(client: client, model: model, options: try openOptions(&scanner))
    }
    let target = try known(scanner.template(toEndOfLine: false, "An address"), scanner.location(at: start))
    clients.insert(client)
    return .open(client: client, target: target, options: try openOptions(&scanner))
  }

  private func openOptions(_ scanner: inout LineScanner) throws(ScriptError) -> OpenOptions {
    var options = OpenOptions()
    while !scanner.isAtEnd() {
      let start = scanner.offset
      switch scanner.takeWord() {
      case "plain": options.isPlain = true
      case "origin":
        options.origin = try known(
          scanner.template(toEndOfLine: false, "The origin"), scanner.location(at: start))
      case "cookie":
        options.cookie = try known(
          scanner.template(toEndOfLine: false, "The cookie"), scanner.location(at: start))
      case "as": options.visitor = try visitor(&scanner)
      case "protocol": options.subprotocol = try scanner.word("The subprotocol")
      case "refused":
        options.refusal = try scanner.integer("The HTTP status", minimum: 300)
        if !scanner.isAtEnd() { options.refusalCode = scanner.takeWord() }
      case let word:
        throw scanner.failure(
          "An option is as, plain, origin, cookie, protocol or refused, not '\(word.clipped)'.", at: start)
      }
    }
    return options
  }

  private func visitor(_ scanner: inout LineScanner) throws(ScriptError) -> ScriptVisitor {
    scanner.skipSpace()
    let start = scanner.offset
    var visitor = ScriptVisitor(
      name: try known(
        scanner.template(toEndOfLine: false, "The visitor's name"), scanner.location(at: start)))
    guard !scanner.text(from: start, to: scanner.offset).contains("(") else {
      throw scanner.failure(
        "A visitor is a name, then a space and roles, such as ann (host, editor).", at: start)
    }
    scanner.skipSpace()
    guard scanner.take("(") else { return visitor }
    repeat { visitor.roles.append(try scanner.name("A role")) } while scanner.takeBehindSpace(",")
    guard scanner.takeBehindSpace(")") else { throw scanner.failure("Roles end with ')'.") }
    return visitor
  }

  private func cookie(_ scanner: inout LineScanner) throws(ScriptError) -> Action {
    let client = try knownClient(&scanner)
    guard !scanner.isAtEnd() else { return .cookie(client: client, nil) }
    let place = scanner.location
    return .cookie(client: client, try known(scanner.template(toEndOfLine: true, "The cookie"), place))
  }

  private func raw(_ scanner: inout LineScanner) throws(ScriptError) -> Action {
    let client = try knownClient(&scanner)
    scanner.skipSpace()
    let isBinary = scanner.take("binary ")
    let place = scanner.location
    let text = try known(scanner.template(toEndOfLine: true, "The frame's text"), place)
    return isBinary ? .rawBinary(client: client, text) : .raw(client: client, text)
  }

  private mutating func save(_ scanner: inout LineScanner) throws(ScriptError) -> Action {
    let name = try scanner.name("The name")
    guard !["fresh", "round"].contains(name), name.allSatisfy({ $0 != "-" }) else {
      throw scanner.failure("'\(name)' cannot be saved; use letters, digits and _, and not fresh or round.")
    }
    try scanner.keyword("=")
    let value = try value(&scanner)
    variables.insert(name)
    return .save(name: name, value)
  }

  private mutating func within(_ scanner: inout LineScanner) throws(ScriptError) -> Action {
    let deadline = try scanner.duration()
    scanner.skipSpace()
    let start = scanner.offset
    let place = scanner.location
    let verb = try scanner.word("The step")
    let source = scanner
    guard !["parallel", "repeat", "include", "within"].contains(verb) else {
      throw source.failure("'within' stands before a single step, not before '\(verb)'.", at: start)
    }
    let action = try action(verb: verb, from: start, &scanner)
    let text = scanner.text(from: start, to: scanner.offset).trimmedEnd
    return .within(deadline, Step(location: place, source: String(text), action: action))
  }

  private func still(_ scanner: inout LineScanner) throws(ScriptError) -> Action {
    let condition = try condition(&scanner)
    try scanner.keyword("for")
    return .still(condition, for: try scanner.duration())
  }
}
