// SPDX-License-Identifier: Apache-2.0
package import MusubiText

/// Writes the server's frames one after the other into bytes, with or without WebSocket headers.
///
/// A turn is written piece by piece, with no tree in between: its members in the order patch, edits, events, each
/// opened by its first piece.
///
/// ```swift
/// var writer = FrameWriter()
/// writer.beginTurn(sequence: 14)
/// writer.replace("label", with: "57")
/// writer.edits("number", revision: 16, steps: [TextEdit(position: 0, inserted: "5")])
/// writer.event("saved")
/// writer.endTurn()
/// writer.bytes  // one whole WebSocket frame, ready to be shared by all who get it
/// ```
package struct FrameWriter: Sendable {
  /// How far the turn that is being written has come.
  private enum Section: Int {
    /// No member but the sequence number.
    case start
    /// Inside of `"patch":[`.
    case patch
    /// Inside of `"edits":{`.
    case edits
    /// Inside of `"events":[`.
    case events
  }

  /// What has been written; while a frame is open, its header is not final.
  package private(set) var bytes: [UInt8]
  private let hasHeaders: Bool
  private var frameStart = 0
  private var screen = 0
  private var section = Section.start

  /// Starts with nothing written.
  ///
  /// - Parameters:
  ///   - hasHeaders: Whether each frame gets the header of an unmasked text frame.
  ///   - capacity: Bytes to make room for.
  package init(hasHeaders: Bool = true, capacity: Int = 0) {
    self.hasHeaders = hasHeaders
    bytes = []
    if capacity > 0 { bytes.reserveCapacity(capacity) }
  }

  /// Goes on behind whole frames with headers that were written before.
  package init(continuing bytes: consuming [UInt8]) {
    hasHeaders = true
    self.bytes = bytes
  }

  /// Takes what was written and starts again.
  package mutating func takeBytes() -> [UInt8] {
    let result = bytes
    bytes = []
    return result
  }

  /// Writes frames of which it is known how many bytes they have at most.
  ///
  /// - Parameters:
  ///   - most: So many.
  ///   - body: Writes the frames.
  package mutating func write(atMost most: Int, _ body: (inout ReservedBytes) -> Void) {
    bytes.append(atMost: most, body)
  }

  // MARK: - Turns

  /// Opens a turn.
  package mutating func beginTurn(sequence: Int, screen: Int = 0) {
    begin(screen)
    section = .start
    bytes.appendRaw(#"{"sequence":"#)
    bytes.appendJSON(sequence)
  }

  /// Adds an operation to the open turn's patch.
  package mutating func operation(_ operation: Operation) {
    next(.patch)
    bytes.appendJSON(operation)
  }

  /// Adds operations to the open turn's patch.
  package mutating func operations(_ operations: [Operation]) {
    for operation in operations { self.operation(operation) }
  }

  /// Adds to the open turn's patch that a member of the state has a new value.
  package mutating func replace(_ name: String, with value: Value) {
    next(.patch)
    bytes.append(contentsOf: Self.beginningOfReplace(name))
    bytes.appendJSON(value)
    bytes.append(.rightBrace)
  }

  /// The beginning of the operation by which a member of the state gets a new value, up to the value.
  package static func beginningOfReplace(_ name: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendRaw(#"{"op":"replace","path":""#)
    bytes.appendPointerToken(name)
    bytes.appendRaw(#"","value":"#)
    return bytes
  }

  /// Adds to the open turn's patch that a member of the state has its first value.
  package mutating func add(_ name: String, _ value: Value) {
    next(.patch)
    bytes.appendRaw(#"{"op":"add","path":""#)
    bytes.appendPointerToken(name)
    bytes.appendRaw(#"","value":"#)
    bytes.appendJSON(value)
    bytes.append(.rightBrace)
  }

  /// Adds the steps of one text to the open turn; once for each name.
  ///
  /// - Parameters:
  ///   - name: The text's name.
  ///   - revision: The revision after the last step.
  ///   - steps: The edits, each raising the revision by one.
  ///   - text: The text before them, if a row's document begins.
  package mutating func edits(
    _ name: String, revision: Int, steps: [TextEdit], beginningWith text: String? = nil
  ) {
    next(.edits)
    bytes.append(contentsOf: Self.beginningOfEdits(name))
    bytes.appendJSON(revision)
    if let text {
      bytes.appendRaw(#","text":"#)
      bytes.appendJSON(text)
    }
    bytes.appendRaw(#","steps":["#)
    for index in steps.indices {
      if index > 0 { bytes.append(.comma) }
      bytes.appendJSON(steps[index])
    }
    bytes.append(.rightBracket)
    bytes.append(.rightBrace)
  }

  /// The beginning of a text's steps, up to the revision.
  package static func beginningOfEdits(_ name: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendJSON(name)
    bytes.appendRaw(#":{"revision":"#)
    return bytes
  }

  /// Adds an event to the open turn.
  package mutating func event(_ name: String, value: Value? = nil) {
    next(.events)
    bytes.appendRaw(#"{"name":"#)
    bytes.appendJSON(name)
    if let value {
      bytes.appendRaw(#","value":"#)
      bytes.appendJSON(value)
    }
    bytes.append(.rightBrace)
  }

  /// Closes the open turn.
  package mutating func endTurn() {
    closeSection()
    end()
  }

  /// Writes a whole turn.
  package mutating func turn(_ turn: ServerFrame.Turn, screen: Int = 0) {
    beginTurn(sequence: turn.sequence, screen: screen)
    operations(turn.patch)
    for change in turn.edits {
      edits(change.name, revision: change.revision, steps: change.steps, beginningWith: change.text)
    }
    for happened in turn.events { event(happened.name, value: happened.value) }
    endTurn()
  }

  private mutating func next(_ wanted: Section) {
    precondition(section.rawValue <= wanted.rawValue, "a turn is written in the order patch, edits, events")
    guard section != wanted else { return bytes.append(.comma) }
    closeSection()
    switch wanted {
    case .start: break
    case .patch: bytes.appendRaw(#","patch":["#)
    case .edits: bytes.appendRaw(#","edits":{"#)
    case .events: bytes.appendRaw(#","events":["#)
    }
    section = wanted
  }

  private mutating func closeSection() {
    switch section {
    case .start: break
    case .edits: bytes.append(.rightBrace)
    case .patch, .events: bytes.append(.rightBracket)
    }
    section = .start
  }

  // MARK: - Other frames

  /// Writes a new session's first frame.
  package mutating func hello(_ hello: ServerFrame.Hello, screen: Int = 0) {
    begin(screen)
    bytes.appendRaw(#"{"hello":{"protocol":"#)
    bytes.appendJSON(hello.version)
    bytes.appendRaw(#","session":"#)
    bytes.appendJSON(hello.session)
    bytes.appendRaw(#","token":"#)
    bytes.appendJSON(hello.token)
    append(visitor: hello.visitor)
    bytes.appendRaw(#","schema":"#)
    bytes.appendJSON(hello.schema)
    bytes.appendRaw(#","heartbeat":"#)
    bytes.appendJSON(hello.heartbeat)
    if let limits = hello.limits {
      bytes.appendRaw(#","limits":{"frame":"#)
      bytes.appendJSON(limits.frame)
      bytes.appendRaw(#","text":"#)
      bytes.appendJSON(limits.text)
      bytes.append(.rightBrace)
    }
    append(hello.names)
    bytes.append(.rightBrace)
    end()
  }

  private mutating func append(visitor: String?) {
    guard let visitor else { return }
    bytes.appendRaw(#","visitor":"#)
    bytes.appendJSON(visitor)
  }

  private mutating func append(_ names: ServerFrame.Names?) {
    guard let names else { return }
    bytes.appendRaw(#","dev":"#)
    bytes.appendJSON([
      "screen": .string(names.screen), "inputs": .array(names.inputs.map(Value.string)),
      "outputs": .array(names.outputs.map(Value.string)),
    ])
  }

  /// Writes the whole state; the revisions go out sorted by name, so that equal snapshots are equal bytes.
  package mutating func snapshot(_ snapshot: ServerFrame.Snapshot, screen: Int = 0) {
    beginSnapshot(screen: screen)
    if case .object(let state) = snapshot.state {
      for one in state.members { member(one.key, one.value) }
    }
    endSnapshot(
      epoch: snapshot.epoch, sequence: snapshot.sequence,
      revisions: snapshot.revisions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
      lineage: snapshot.lineage)
  }

  /// Opens a snapshot; its members follow, each counted like an operation of a patch.
  package mutating func beginSnapshot(screen: Int) {
    begin(screen)
    bytes.appendRaw(#"{"snapshot":{"#)
    section = .start
  }

  /// Adds a member of the state to the open snapshot.
  ///
  /// - Parameters:
  ///   - name: Its name, or the beginning of it.
  ///   - suffix: The rest of the name, of plain characters.
  ///   - value: Its value.
  package mutating func member(_ name: String, suffix: StaticString = "", _ value: Value) {
    if section == .patch { bytes.append(.comma) }
    section = .patch
    bytes.append(.quote)
    bytes.appendJSONContent(name)
    bytes.appendRaw(suffix)
    bytes.appendRaw(#"":"#)
    bytes.appendJSON(value)
  }

  /// Closes the open snapshot.
  ///
  /// - Parameters:
  ///   - epoch: Names the stream of turns.
  ///   - sequence: The turn that the state includes.
  ///   - revisions: The texts with their revisions.
  ///   - lineage: The streams that the room descends from.
  package mutating func endSnapshot(
    epoch: String, sequence: Int, revisions: [(String, Int)], lineage: [StreamPosition] = []
  ) {
    bytes.appendRaw(#"},"epoch":"#)
    bytes.appendJSON(epoch)
    bytes.appendRaw(#","sequence":"#)
    bytes.appendJSON(sequence)
    bytes.appendRaw(#","revisions":{"#)
    var isFirst = true
    for (name, revision) in revisions {
      if !isFirst { bytes.append(.comma) }
      isFirst = false
      bytes.appendJSON(name)
      bytes.append(.colon)
      bytes.appendJSON(revision)
    }
    bytes.append(.rightBrace)
    if !lineage.isEmpty {
      bytes.appendRaw(#","lineage":"#)
      bytes.appendJSON(lineage)
    }
    end()
  }

  /// Writes that a hand-over has ended.
  ///
  /// - Parameters:
  ///   - names: What the page has to give up.
  ///   - number: Inputs of the session before up to this number are part of the state; 0 if nobody knows.
  package mutating func handedOver(givenUp names: [String], acknowledged number: Int = 0) {
    begin(0)
    bytes.appendRaw(#"{"handedOver":"#)
    bytes.appendJSON(Value.array(names.map(Value.string)))
    if number > 0 {
      bytes.appendRaw(#","ack":"#)
      bytes.appendJSON(number)
    }
    end()
  }

  /// Writes that inputs up to a number are safe, and which revision the last of them became if it was an edit.
  package mutating func acknowledge(_ number: Int, revision: Int? = nil, screen: Int = 0) {
    begin(screen)
    bytes.appendRaw(#"{"ack":"#)
    endNumber(number, revision)
  }

  private mutating func endNumber(_ number: Int, _ revision: Int?) {
    bytes.appendJSON(number)
    if let revision {
      bytes.appendRaw(#","revision":"#)
      bytes.appendJSON(revision)
    }
    end()
  }

  /// Writes that something was refused.
  package mutating func error(_ code: ErrorCode, _ message: String, input: Int? = nil, screen: Int = 0) {
    begin(screen)
    bytes.appendRaw(#"{"error":{"code":"#)
    bytes.appendJSON(code.rawValue)
    bytes.appendRaw(#","message":"#)
    bytes.appendJSON(message)
    if let input {
      bytes.appendRaw(#","input":"#)
      bytes.appendJSON(input)
    }
    bytes.append(.rightBrace)
    end()
  }

  /// Writes that a session goes on.
  package mutating func resumed(_ resumed: ServerFrame.Resumed, screen: Int = 0) {
    begin(screen)
    bytes.appendRaw(#"{"resumed":{"session":"#)
    bytes.appendJSON(resumed.session)
    bytes.appendRaw(#","token":"#)
    bytes.appendJSON(resumed.token)
    append(visitor: resumed.visitor)
    bytes.appendRaw(#","ack":"#)
    bytes.appendJSON(resumed.acknowledged)
    bytes.appendRaw(#","schema":"#)
    bytes.appendJSON(resumed.schema)
    if let turns = resumed.turns {
      bytes.appendRaw(#","turns":"#)
      bytes.appendJSON(turns)
    }
    bytes.appendRaw(#","own":["#)
    for index in resumed.own.indices {
      bytes.appendRaw(index > 0 ? ",[" : "[")
      bytes.appendJSON(resumed.own[index].number)
      bytes.append(.comma)
      bytes.appendJSON(resumed.own[index].revision)
      bytes.append(.rightBracket)
    }
    bytes.append(.rightBracket)
    append(resumed.names)
    bytes.append(.rightBrace)
    end()
  }

  /// Writes the session's stack of screens.
  package mutating func screens(_ screens: [ServerFrame.Screen]) {
    begin(0)
    bytes.appendRaw(#"{"screens":["#)
    for index in screens.indices {
      bytes.appendRaw(index > 0 ? #",{"screen":"# : #"{"screen":"#)
      bytes.appendJSON(screens[index].number)
      bytes.appendRaw(#","name":"#)
      bytes.appendJSON(screens[index].name)
      bytes.appendRaw(#","path":"#)
      bytes.appendJSON(screens[index].path)
      if let dialog = screens[index].dialog {
        bytes.appendRaw(#","dialog":{"name":"#)
        bytes.appendJSON(dialog.name)
        if let value = dialog.value {
          bytes.appendRaw(#","value":"#)
          bytes.appendJSON(value)
        }
        bytes.append(.rightBrace)
      }
      bytes.append(.rightBrace)
    }
    bytes.append(.rightBracket)
    end()
  }

  /// Writes the answer to a `ping`.
  package mutating func pong(_ number: Int) {
    begin(0)
    bytes.appendRaw(#"{"pong":"#)
    bytes.appendJSON(number)
    end()
  }

  /// Writes that the page's files changed.
  package mutating func reload(_ what: Value) {
    begin(0)
    bytes.appendRaw(#"{"reload":"#)
    bytes.appendJSON(what)
    end()
  }

  // MARK: - Frames

  private mutating func begin(_ screen: Int) {
    self.screen = screen
    frameStart = bytes.count
    if hasHeaders { WebSocketFrame.beginUnmasked(in: &bytes) }
  }

  private mutating func end() {
    bytes.appendScreen(screen)
    bytes.append(.rightBrace)
    if hasHeaders { WebSocketFrame.endUnmasked(.text, startingAt: frameStart, in: &bytes) }
  }
}
