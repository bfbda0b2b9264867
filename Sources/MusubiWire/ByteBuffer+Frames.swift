// SPDX-License-Identifier: Apache-2.0

/// The server's frames but turns, which `TurnPieces` writes.
extension ByteBuffer {
  /// Writes a new session's first frame.
  package mutating func hello(_ hello: ServerFrame.Hello, screen: Int = 0) {
    appendFrame(screen: screen) {
      $0.append(#"{"hello":{"protocol":"#, hello.version)
      $0.append(#","session":"#, hello.session)
      $0.append(#","token":"#, hello.token)
      if let visitor = hello.visitor { $0.append(#","visitor":"#, visitor) }
      $0.append(#","schema":"#, hello.schema)
      $0.append(#","heartbeat":"#, hello.heartbeat)
      if let limits = hello.limits {
        $0.append(#","limits":{"frame":"#, limits.frame)
        $0.append(#","text":"#, limits.text)
        if limits.carets > 0 { $0.append(#","carets":"#, limits.carets) }
        $0.append(.rightBrace)
      }
      $0.append(forbidden: hello.forbidden, hello.names)
      $0.append(.rightBrace)
    }
  }

  private mutating func append(forbidden: [String]?, _ names: ServerFrame.Names?) {
    if let forbidden { append(#","forbidden":"#, .array(forbidden.map(Value.string))) }
    guard let names else { return }
    appendRaw(#","dev":"#)
    appendJSON([
      "screen": .string(names.screen), "inputs": .array(names.inputs.map(Value.string)),
      "outputs": .array(names.outputs.map(Value.string)), "events": .array(names.events.map(Value.string)),
      "visitor": names.visitor,
    ])
  }

  /// Writes the whole state.
  ///
  /// - Parameters:
  ///   - epoch: Names the stream of turns.
  ///   - sequence: The turn that the state includes.
  ///   - revisions: The texts with their revisions.
  ///   - lineage: The streams that the room descends from.
  ///   - screen: The screen's number.
  ///   - members: Writes the members of the state by `member`.
  package mutating func snapshot(
    epoch: String, sequence: Int, revisions: [(String, Int)], lineage: [StreamPosition] = [], screen: Int = 0,
    members: (inout ByteBuffer) -> Void
  ) {
    appendFrame(screen: screen) {
      $0.appendRaw(#"{"snapshot":{"#)
      members(&$0)
      $0.endList(.rightBrace)
      $0.append(#","epoch":"#, epoch)
      $0.append(#","sequence":"#, sequence)
      $0.appendRaw(#","revisions":{"#)
      for (name, revision) in revisions {
        $0.appendJSON(name)
        $0.append(.colon)
        $0.appendJSON(revision)
        $0.append(.comma)
      }
      $0.endList(.rightBrace)
      if !lineage.isEmpty {
        $0.appendRaw(#","lineage":"#)
        $0.appendJSON(lineage)
      }
    }
  }

  /// Writes a member of the state into a snapshot.
  ///
  /// - Parameters:
  ///   - name: Its name, or the beginning of it.
  ///   - suffix: The rest of the name, of plain characters.
  ///   - value: Its value.
  package mutating func member(_ name: String, suffix: StaticString = "", _ value: Value) {
    append(.quote)
    appendJSONContent(name)
    appendRaw(suffix)
    append(#"":"#, value)
    append(.comma)
  }

  /// Writes that a hand-over has ended.
  ///
  /// - Parameters:
  ///   - names: What the page has to give up.
  ///   - number: Inputs of the session before up to this number are part of the state; 0 if nobody knows.
  package mutating func handedOver(givenUp names: [String], acknowledged number: Int = 0) {
    appendFrame {
      $0.append(#"{"handedOver":"#, .array(names.map(Value.string)))
      if number > 0 { $0.append(#","ack":"#, number) }
    }
  }

  /// Writes that inputs up to a number are safe, and which revision the last of them became if it was an edit.
  package mutating func acknowledge(_ number: Int, revision: Int? = nil, screen: Int = 0) {
    appendFrame(screen: screen) {
      $0.append(#"{"ack":"#, number)
      if let revision { $0.append(#","revision":"#, revision) }
    }
  }

  /// Writes which inputs of a screen the page may not send.
  package mutating func forbidden(_ names: [String], screen: Int = 0) {
    appendFrame(screen: screen) {
      $0.append(#"{"forbidden":"#, .array(names.map(Value.string)))
    }
  }

  /// Writes what the page shows for its visitor alone.
  ///
  /// - Parameters:
  ///   - values: All of it.
  ///   - before: What the frame before said on this connection, nil if there was none: what has changed since is written
  ///     if that is shorter.
  ///   - screen: The screen's number.
  package mutating func personal(_ values: Value, after before: Value? = nil, screen: Int = 0) {
    let patch = before.map { Diff.operations(from: $0, to: values) } ?? []
    let bytes = patch.jsonByteCount
    guard !patch.isEmpty, values.jsonByteCount(stoppingAbove: bytes) > bytes else {
      return appendFrame(screen: screen) { $0.append(#"{"personal":"#, values) }
    }
    appendFrame(screen: screen) { buffer in
      buffer.appendRaw(#"{"personal":["#)
      for (index, operation) in patch.enumerated() {
        if index > 0 { buffer.append(.comma) }
        buffer.appendJSON(operation)
      }
      buffer.append(.rightBracket)
    }
  }

  /// Writes where the page may send files, and which.
  package mutating func uploads(_ controls: Value, screen: Int = 0) {
    appendFrame(screen: screen) {
      $0.append(#"{"uploads":"#, controls)
    }
  }

  /// Writes that something was refused.
  package mutating func error(_ code: ErrorCode, _ message: String, input: Int? = nil, screen: Int = 0) {
    appendFrame(screen: screen) {
      $0.append(#"{"error":{"code":"#, code.rawValue)
      $0.append(#","message":"#, message)
      if let input { $0.append(#","input":"#, input) }
      $0.append(.rightBrace)
    }
  }

  /// Writes that a session goes on.
  package mutating func resumed(_ resumed: ServerFrame.Resumed, screen: Int = 0) {
    appendFrame(screen: screen) {
      $0.append(#"{"resumed":{"session":"#, resumed.session)
      $0.append(#","token":"#, resumed.token)
      if let visitor = resumed.visitor { $0.append(#","visitor":"#, visitor) }
      $0.append(#","ack":"#, resumed.acknowledged)
      $0.append(#","schema":"#, resumed.schema)
      if let turns = resumed.turns { $0.append(#","turns":"#, turns) }
      $0.appendRaw(#","own":["#)
      for own in resumed.own {
        $0.append(.leftBracket)
        $0.appendJSON(own.number)
        $0.append(.comma)
        $0.appendJSON(own.revision)
        $0.appendRaw("],")
      }
      $0.endList(.rightBracket)
      $0.append(forbidden: resumed.forbidden, resumed.names)
      $0.append(.rightBrace)
    }
  }

  /// Writes the session's stack of screens: the first ones that the page knows already, and these.
  ///
  /// - Parameters:
  ///   - screens: The others.
  ///   - count: How many of the stack, from the first on, are as they were.
  package mutating func screens(_ screens: [ServerFrame.Screen], after count: Int = 0) {
    appendFrame {
      $0.appendRaw(#"{"screens":["#)
      for screen in screens {
        $0.append(#"{"screen":"#, screen.number)
        $0.append(#","name":"#, screen.name)
        $0.append(#","path":"#, screen.path)
        if let dialog = screen.dialog {
          $0.appendRaw(#","dialog":"#)
          $0.append(event: dialog.name, dialog.value)
        }
        $0.appendRaw("},")
      }
      $0.endList(.rightBracket)
      guard count > 0 else { return }
      $0.append(#","after":"#, count)
    }
  }

  /// Writes the name of an output and what it emits.
  mutating func append(event name: String, _ value: Value?) {
    append(#"{"name":"#, name)
    if let value { append(#","value":"#, value) }
    append(.rightBrace)
  }

  /// Writes where others are in two-way texts.
  ///
  /// - Parameters:
  ///   - texts: The texts in which somebody is, each with the revision that the selections refer to.
  ///   - screen: The screen's number.
  package mutating func carets(_ texts: [ServerFrame.Carets], screen: Int) {
    appendFrame(screen: screen) {
      $0.appendRaw(#"{"carets":{"#)
      for text in texts {
        $0.appendJSON(text.text)
        $0.append(#":{"revision":"#, text.revision)
        $0.appendRaw(#","all":["#)
        for caret in text.all {
          $0.append("[", caret.page)
          $0.append(",", caret.name)
          $0.append(",", caret.selection.lowerBound)
          $0.append(",", caret.selection.upperBound)
          $0.appendRaw("],")
        }
        $0.endList(.rightBracket)
        $0.appendRaw("},")
      }
      $0.endList(.rightBrace)
    }
  }

  /// Writes the answer to a `ping`.
  package mutating func pong(_ number: Int) {
    appendFrame {
      $0.append(#"{"pong":"#, number)
    }
  }

  /// Writes that the page's files changed.
  package mutating func reload(_ what: Value) {
    appendFrame {
      $0.append(#"{"reload":"#, what)
    }
  }

  /// Writes a text frame of an object that is still open, and closes it.
  @inline(__always)
  mutating func appendFrame(screen: Int = 0, _ body: (inout ByteBuffer) -> Void) {
    appendFrame(.text) {
      body(&$0)
      $0.appendScreen(screen)
      $0.append(.rightBrace)
    }
  }
}
