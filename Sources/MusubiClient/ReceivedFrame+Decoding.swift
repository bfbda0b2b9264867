// SPDX-License-Identifier: Apache-2.0
package import MusubiWire
import MusubiText

extension ReceivedFrame {
  /// Reads a server's frame.
  ///
  /// - Parameter json: One whole message in UTF-8.
  /// - Throws: `WireError` with the byte offset of the mistake.
  package init(json: [UInt8]) throws(WireError) {
    self = try json.withReader { reader throws(WireError) in
      guard reader.peek() == .leftBrace else { throw reader.wrongType("frame", "an object") }
      var members = ServerMembers()
      try reader.readMembers { inner, key throws(WireError) in try members.read(key, &inner) }
      try reader.finish()
      return ReceivedFrame(try members.content(), screen: members.screen)
    }
  }
}

/// The members of a server's frame so far.
private struct ServerMembers {
  /// The first member tells the kind.
  private var kind: String?
  private(set) var screen = 0
  private var number = 0
  private var sequence: Int?
  private var revision: Int?
  private var epoch: String?
  private var revisions: [String: Int] = [:]
  private var lineage: [StreamPosition] = []
  private var handedOver: [String] = []
  private var value = Value.null
  private var personalPatch: [Operation] = []
  private var hello = ServerFrame.Hello(session: "", token: "", schema: "", heartbeat: 0)
  private var resumed = ServerFrame.Resumed(session: "", token: "", acknowledged: 0)
  private var turn = ReceivedFrame.Turn(sequence: 0)
  private var screens: [ServerFrame.Screen] = []
  private var unchangedScreens = 0
  private var error: (code: String, message: String, input: Int?) = ("", "", nil)

  mutating func read(_ key: String, _ reader: inout JSONReader) throws(WireError) {
    if kind == nil { kind = key }
    switch key {
    case "sequence": sequence = try reader.readCount("sequence")
    case "patch":
      try reader.readElements { inner throws(WireError) in turn.patch.append(try inner.readOperation()) }
    case "edits": turn.edits = try reader.readTextChanges()
    case "events":
      try reader.readElements { inner throws(WireError) in turn.events.append(try inner.readEvent()) }
    case "ack": number = try reader.readCount("ack")
    case "pong":
      number = try reader.readInteger("pong", in: -ClientFrame.maximumNumber...ClientFrame.maximumNumber)
    case "revision": revision = try reader.readCount("revision")
    case "screen": screen = try reader.readInteger("screen", in: 0...65_535)
    case "epoch": epoch = try reader.readString("epoch")
    case "personal" where reader.peek() == .leftBracket:
      kind = "personalPatch"
      try reader.readElements { inner throws(WireError) in
        personalPatch.append(try inner.readOperation())
      }
    case "snapshot", "reload", "personal", "uploads": value = try reader.readValue()
    case "revisions":
      try reader.readMembers { inner, name throws(WireError) in
        revisions[name] = try inner.readCount("revisions")
      }
    case "lineage": lineage = try reader.readLineage()
    case "handedOver":
      try reader.readElements { inner throws(WireError) in
        handedOver.append(try inner.readString("handedOver"))
      }
    case "screens":
      try reader.readElements { inner throws(WireError) in screens.append(try inner.readScreen()) }
    case "after": unchangedScreens = try reader.readCount("after")
    case "hello": try readHello(&reader)
    case "resumed": try readResumed(&reader)
    case "error": try readError(&reader)
    default: try reader.skipValue()
    }
  }

  func content() throws(WireError) -> ReceivedFrame.Content {
    switch kind ?? "" {
    case "hello": return .hello(hello)
    case "snapshot":
      guard let sequence else { throw WireError(.missingMember("sequence"), at: 0) }
      guard let epoch else { throw WireError(.missingMember("epoch"), at: 0) }
      guard case .object = value else {
        throw WireError(.wrongType(member: "snapshot", expected: "an object"), at: 0)
      }
      var snapshot = ReceivedFrame.Snapshot(
        state: value, epoch: epoch, sequence: sequence, revisions: revisions)
      snapshot.lineage = lineage
      return .snapshot(snapshot)
    case "sequence":
      var turn = turn
      turn.sequence = sequence ?? 0
      return .turn(turn)
    case "ack": return .acknowledged(number, revision: revision)
    case "error": return .error(code: error.code, message: error.message, input: error.input)
    case "resumed": return .resumed(resumed)
    case "handedOver": return .handedOver(givenUp: handedOver, acknowledged: number)
    case "screens": return .screens(screens, after: unchangedScreens)
    case "personal": return .personal(value)
    case "personalPatch": return .personalPatch(personalPatch)
    case "uploads": return .uploads(value)
    case "pong": return .pong(number)
    case "reload": return .reload(value)
    case let other: return .unknown(other)
    }
  }

  private mutating func readHello(_ reader: inout JSONReader) throws(WireError) {
    try reader.readMembers { inner, key throws(WireError) in
      switch key {
      case "protocol": hello.version = try inner.readCount("protocol")
      case "session": hello.session = try inner.readString("session")
      case "token": hello.token = try inner.readString("token")
      case "visitor": hello.visitor = try inner.readString("visitor")
      case "schema": hello.schema = try inner.readString("schema")
      case "heartbeat": hello.heartbeat = try inner.readCount("heartbeat")
      case "limits": hello.limits = try Self.readLimits(&inner)
      default: try inner.skipValue()
      }
    }
  }

  private static func readLimits(_ reader: inout JSONReader) throws(WireError) -> ServerFrame.Limits {
    var limits = ServerFrame.Limits(frame: 0, text: 0)
    try reader.readMembers { inner, key throws(WireError) in
      switch key {
      case "frame": limits.frame = try inner.readCount("frame")
      case "text": limits.text = try inner.readCount("text")
      default: try inner.skipValue()
      }
    }
    return limits
  }

  private mutating func readResumed(_ reader: inout JSONReader) throws(WireError) {
    try reader.readMembers { inner, key throws(WireError) in
      switch key {
      case "session": resumed.session = try inner.readString("session")
      case "token": resumed.token = try inner.readString("token")
      case "visitor": resumed.visitor = try inner.readString("visitor")
      case "ack": resumed.acknowledged = try inner.readCount("ack")
      case "schema": resumed.schema = try inner.readString("schema")
      case "turns": resumed.turns = try inner.readCount("turns")
      case "own":
        try inner.readElements { pair throws(WireError) in
          try pair.enter(.leftBracket)
          let number = try pair.readCount("own")
          try pair.expect(.comma)
          resumed.own.append(.init(number: number, revision: try pair.readCount("own")))
          try pair.expect(.rightBracket)
          pair.leave()
        }
      default: try inner.skipValue()
      }
    }
  }

  private mutating func readError(_ reader: inout JSONReader) throws(WireError) {
    try reader.readMembers { inner, key throws(WireError) in
      switch key {
      case "code": error.code = try inner.readString("code")
      case "message": error.message = try inner.readString("message")
      case "input": error.input = try inner.readCount("input")
      default: try inner.skipValue()
      }
    }
  }
}

extension JSONReader {
  /// Reads a number that counts something.
  fileprivate mutating func readCount(_ member: StaticString) throws(WireError) -> Int {
    try readInteger(member, in: 0...ClientFrame.maximumNumber)
  }

  fileprivate mutating func readTextChanges() throws(WireError) -> [ReceivedFrame.TextChange] {
    var changes: [ReceivedFrame.TextChange] = []
    try readMembers { reader, name throws(WireError) in
      var change = ReceivedFrame.TextChange(name: name, revision: 0, steps: [])
      try reader.readMembers { inner, key throws(WireError) in
        switch key {
        case "revision": change.revision = try inner.readCount("revision")
        case "text": change.text = try inner.readString("text")
        case "steps":
          try inner.readElements { step throws(WireError) in change.steps.append(try step.readTextEdit()) }
        default: try inner.skipValue()
        }
      }
      changes.append(change)
    }
    return changes
  }

  fileprivate mutating func readEvent() throws(WireError) -> ServerFrame.Event {
    var event = ServerFrame.Event(name: "")
    try readMembers { reader, key throws(WireError) in
      switch key {
      case "name": event.name = try reader.readString("name")
      case "value": event.value = try reader.readValue()
      default: try reader.skipValue()
      }
    }
    return event
  }
}

extension JSONReader {
  /// Reads one screen of a stack.
  fileprivate mutating func readScreen() throws(WireError) -> ServerFrame.Screen {
    var screen = ServerFrame.Screen(number: 0, name: "", path: "")
    try readMembers { inner, key throws(WireError) in
      switch key {
      case "screen": screen.number = try inner.readInteger("screen", in: 0...65_535)
      case "name": screen.name = try inner.readString("name")
      case "path": screen.path = try inner.readString("path")
      case "dialog": screen.dialog = try inner.readEvent()
      default: try inner.skipValue()
      }
    }
    return screen
  }
}
