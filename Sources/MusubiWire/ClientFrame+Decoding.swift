// SPDX-License-Identifier: Apache-2.0
import MusubiText

/// The members of a client's frame; each raw value is the name's bytes, the first one lowest.
///
/// All names fit into eight bytes, so that one comparison of integers finds them, without a string.
enum ClientMember: UInt64, CaseIterable {
  case input = 0x7475706e69
  case name = 0x656d616e
  case value = 0x65756c6176
  case row = 0x776f72
  case screen = 0x6e6565726373
  case revision = 0x6e6f697369766572
  case edits = 0x7374696465
  case resume = 0x656d75736572
  case ping = 0x676e6970
  case back = 0x6b636162
  case dismiss = 0x7373696d736964
  case handOver = 0x7265764f646e6168
  case sequence = 0x65636e6575716573
  case caret = 0x7465726163
  case at = 0x7461
  case shown = 0x6e776f6873
}

extension ClientFrame {
  /// Reads a client's frame in one pass; the members may come in any order, unknown ones are skipped.
  ///
  /// - Parameter json: One whole message; it need not have been checked to be UTF-8.
  /// - Throws: `WireError` with the byte offset; its `errorCode` says how the server answers.
  package init(json: UnsafeRawBufferPointer) throws(WireError) {
    var name = ""
    if let edit = QuickEdit(json, recentName: &name) {
      self = .input(edit.input)
      return
    }
    var reader = JSONReader(json)
    guard reader.peek() == .leftBrace else {
      guard reader.peek() != nil else { throw WireError(.truncated, at: json.count) }
      throw WireError(.notAnObject, at: reader.offset)
    }
    var members = ClientMembers()
    try members.read(&reader)
    try reader.finish()
    self = try members.frame()
  }

  /// Reads a client's frame from bytes.
  package init(json: [UInt8]) throws(WireError) {
    self = try json.withReader { reader throws(WireError) in try ClientFrame(json: reader.bytes) }
  }
}

/// The members of a client's frame so far.
private struct ClientMembers {
  private var seen: UInt64 = 0
  private var unknown: Set<ExactString> = []
  private var firstUnknown: String?
  private var number = 0
  private var name = ""
  private var payload = ClientFrame.Input.Payload.none
  private var row: [String] = []
  private var screen = 0
  private var revision = 0
  private var sequence = 0
  private var edit = TextEdit([])
  private var resume: ClientFrame.Resume?
  private var handOver: ClientFrame?
  private var selection: Range<Int>?
  private var shown: String?

  /// Reads all members of the object that comes next.
  mutating func read(_ reader: inout JSONReader) throws(WireError) {
    try reader.enter(.leftBrace)
    if !reader.take(.rightBrace) {
      repeat {
        _ = reader.peek()
        let start = reader.offset
        let key = try reader.readRawString()
        try reader.expect(.colon)
        _ = reader.peek()
        if let member = reader.clientMember(key) {
          guard !has(member) else { throw WireError(.duplicateMember(reader.string(of: key)), at: start) }
          seen |= Self.bit(member)
          try read(member, &reader)
        } else {
          let name = reader.string(of: key)
          guard unknown.insert(ExactString(name)).inserted else {
            throw WireError(.duplicateMember(name), at: start)
          }
          firstUnknown = firstUnknown ?? name
          try reader.skipValue()
        }
      } while reader.take(.comma)
      try reader.expect(.rightBrace)
    }
    reader.leave()
  }

  private mutating func read(_ member: ClientMember, _ reader: inout JSONReader) throws(WireError) {
    switch member {
    case .input: number = try reader.readInteger("input", in: 1...ClientFrame.maximumNumber)
    case .ping:
      number = try reader.readInteger("ping", in: -ClientFrame.maximumNumber...ClientFrame.maximumNumber)
    case .screen: screen = try reader.readInteger("screen", in: 0...65_535)
    case .revision: revision = try reader.readInteger("revision", in: 0...ClientFrame.maximumNumber)
    case .sequence: sequence = try reader.readInteger("sequence", in: 0...ClientFrame.maximumNumber)
    case .name: name = try reader.readString("name")
    case .back: payload = .back(try reader.readInteger("back", in: 0...65_535))
    case .dismiss: payload = .dismiss(try reader.readString("dismiss"))
    case .value: payload = .value(try reader.readValue())
    case .row: row = try reader.readRow()
    case .edits:
      guard reader.peek() == .leftBracket else { throw reader.wrongType("edits", "a list of components") }
      edit = try reader.readTextEdit()
    case .resume:
      guard reader.peek() == .leftBrace else { throw reader.wrongType("resume", "an object") }
      resume = try reader.readResume()
    case .handOver:
      guard reader.peek() == .leftBrace else { throw reader.wrongType("handOver", "an object") }
      handOver = try reader.readHandOver()
    case .caret: name = try reader.readString("caret")
    case .at: selection = try reader.readSelection()
    case .shown: shown = try reader.readString("shown")
    }
  }

  /// The frame that the members make.
  func frame() throws(WireError) -> ClientFrame {
    let kinds =
      seen & (Self.bit(.input) | Self.bit(.resume) | Self.bit(.ping) | Self.bit(.handOver) | Self.bit(.caret))
    guard kinds != 0 else { throw WireError(.unknownKind(firstUnknown ?? ""), at: 0) }
    guard kinds.nonzeroBitCount == 1 else {
      throw WireError(.unknownKind("two of input, resume, handOver, caret and ping at once"), at: 0)
    }
    if has(.ping) { return .ping(number) }
    if let handOver { return handOver }
    if let resume { return .resume(resume) }
    if has(.caret) { return try caret() }
    if has(.back) || has(.dismiss) {
      guard !has(.name), !has(.value), !has(.edits), has(.back) != has(.dismiss) else {
        throw WireError(.unknownKind("back or dismiss beside another kind of input"), at: 0)
      }
      return .input(ClientFrame.Input(number: number, name: "", payload: payload, screen: screen))
    }
    guard has(.name) else { throw WireError(.missingMember("name"), at: 0) }
    var input = ClientFrame.Input(number: number, name: name, payload: payload, row: row, screen: screen)
    guard has(.edits) else {
      guard !has(.revision), !has(.sequence) else { throw WireError(.missingMember("edits"), at: 0) }
      return .input(input)
    }
    guard !has(.value) else {
      throw WireError(.wrongType(member: "value", expected: "left out beside edits"), at: 0)
    }
    switch (has(.revision), has(.sequence)) {
    case (true, false): input.payload = .edit(edit, revision: revision)
    case (false, true):
      // Only a row's text has no revision at first.
      guard !row.isEmpty else { throw WireError(.missingMember("row"), at: 0) }
      input.payload = .firstEdit(edit, sequence: sequence, shown: shown)
    case (false, false): throw WireError(.missingMember("revision"), at: 0)
    case (true, true):
      throw WireError(.wrongType(member: "sequence", expected: "left out beside a revision"), at: 0)
    }
    return .input(input)
  }

  private func caret() throws(WireError) -> ClientFrame {
    guard !has(.name) else {
      throw WireError(.wrongType(member: "name", expected: "left out beside a caret"), at: 0)
    }
    guard has(.at) == has(.revision) else {
      throw WireError(.missingMember(has(.at) ? "revision" : "at"), at: 0)
    }
    return .caret(
      ClientFrame.Caret(text: name, screen: screen, revision: revision, selection: selection))
  }

  private func has(_ member: ClientMember) -> Bool { seen & Self.bit(member) != 0 }

  private static func bit(_ member: ClientMember) -> UInt64 {
    switch member {
    case .input: 1
    case .name: 2
    case .value: 4
    case .row: 8
    case .screen: 16
    case .revision: 32
    case .edits: 64
    case .resume: 128
    case .ping: 256
    case .back: 512
    case .dismiss: 1_024
    case .handOver: 2_048
    case .sequence: 4_096
    case .caret: 8_192
    case .at: 16_384
    case .shown: 32_768
    }
  }
}

extension JSONReader {
  /// Which member of a client's frame has that name.
  fileprivate func clientMember(_ key: RawString) -> ClientMember? {
    if key.hasEscapes {
      // Once more without escapes; nobody sends this, but it is valid JSON.
      var name = string(of: key)
      return name.withUTF8 { Self.clientMember(UnsafeRawBufferPointer($0), 0..<$0.count) }
    }
    return Self.clientMember(bytes, key.range)
  }

  @inline(__always)
  private static func clientMember(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> ClientMember? {
    guard range.count <= 8 else { return nil }
    var word: UInt64 = 0
    for index in range.reversed() { word = word << 8 | UInt64(bytes[index]) }
    return ClientMember(rawValue: word)
  }

  /// The error that says that a member has another type.
  package mutating func wrongType(_ member: String, _ expected: String) -> WireError {
    guard peek() != nil else { return WireError(.truncated, at: offset) }
    return WireError(.wrongType(member: member, expected: expected), at: offset)
  }

  /// Reads a string that a frame must have there.
  package mutating func readString(_ member: StaticString) throws(WireError) -> String {
    guard peek() == .quote else { throw wrongType("\(member)", "a string") }
    return try readString()
  }

  /// Reads the id of a row, or those of rows inside of each other.
  fileprivate mutating func readRow() throws(WireError) -> [String] {
    guard peek() == .leftBracket else { return [try readString("row")] }
    var ids: [String] = []
    try readElements { reader throws(WireError) in ids.append(try reader.readString("row")) }
    return ids
  }

  /// Reads the start and the end of a selection.
  fileprivate mutating func readSelection() throws(WireError) -> Range<Int> {
    guard peek() == .leftBracket else { throw wrongType("at", "a start and an end") }
    try enter(.leftBracket)
    let start = try readInteger("at", in: 0...TextEdit.maximumPosition)
    try expect(.comma)
    let end = try readInteger("at", in: start...TextEdit.maximumPosition)
    try expect(.rightBracket)
    leave()
    return start..<end
  }

  fileprivate mutating func readResume() throws(WireError) -> ClientFrame.Resume {
    let start = offset
    var (session, token): (String?, String?)
    var position: StreamPosition?
    try readMembers { reader, key throws(WireError) in
      switch key {
      case "session": session = try reader.readString("session")
      case "token": token = try reader.readString("token")
      case "position": position = try reader.readPosition()
      default: try reader.skipValue()
      }
    }
    guard let session else { throw WireError(.missingMember("session"), at: start) }
    guard let token else { throw WireError(.missingMember("token"), at: start) }
    guard let position else { throw WireError(.missingMember("position"), at: start) }
    return ClientFrame.Resume(
      session: session, token: token, epoch: position.epoch, sequence: position.sequence)
  }

  /// Reads a place in a stream of turns.
  mutating func readPosition() throws(WireError) -> StreamPosition {
    guard peek() == .leftBracket else { throw wrongType("position", "a list of two") }
    try enter(.leftBracket)
    let epoch = try readString("position")
    try expect(.comma)
    let sequence = try readInteger("position", in: 0...ClientFrame.maximumNumber)
    try expect(.rightBracket)
    leave()
    return StreamPosition(epoch: epoch, sequence: sequence)
  }

  /// Reads a room's lineage.
  package mutating func readLineage() throws(WireError) -> [StreamPosition] {
    var lineage: [StreamPosition] = []
    try readElements { reader throws(WireError) in lineage.append(try reader.readPosition()) }
    return lineage
  }

  /// Reads a value that a page shows, or the end of a hand-over, which has a position.
  fileprivate mutating func readHandOver() throws(WireError) -> ClientFrame {
    let start = offset
    var name: String?
    var value: Value?
    var position: StreamPosition?
    var lineage: [StreamPosition] = []
    try readMembers { reader, key throws(WireError) in
      switch key {
      case "name": name = try reader.readString("name")
      case "value": value = try reader.readValue()
      case "position": position = try reader.readPosition()
      case "lineage": lineage = try reader.readLineage()
      default: try reader.skipValue()
      }
    }
    if let position { return .endHandOver(at: position, lineage: lineage) }
    guard let name else { throw WireError(.missingMember("name"), at: start) }
    guard let value else { throw WireError(.missingMember("value"), at: start) }
    return .handOver(name: name, value: value)
  }
}
