// SPDX-License-Identifier: Apache-2.0
package import MusubiText

/// The pieces of a turn's frame: operations, steps and events, each written as soon as it is known.
///
/// They are the same in every encoding of the turn, so that nothing has to be kept as a value until its frame is written.
/// Whoever uses it numbers the texts; their names and revisions are asked for at the end.
package struct TurnPieces: ~Copyable {
  // In all three, a comma is behind each.
  private var operations = ByteBuffer()
  private var steps = ByteBuffer()
  private var events = ByteBuffer()
  /// Whose steps these are: stretches that follow one another, each of one text.
  private var stretches: [(text: Int, end: Int)] = []

  /// Nothing has changed.
  package init() {}

  /// How many bytes the steps take in a frame.
  package var stepBytes: Int { steps.count }

  /// Whether some text has changed.
  package var hasTexts: Bool { !stretches.isEmpty }

  /// Whether nothing has changed.
  package var isEmpty: Bool { operations.isEmpty && stretches.isEmpty && events.isEmpty }

  /// Whether a text has changed.
  package func isChanged(_ text: Int) -> Bool { stretches.contains { $0.text == text } }

  /// Forgets everything but the memory that it took.
  package mutating func removeAll() {
    operations.removeAll()
    steps.removeAll()
    events.removeAll()
    while !stretches.isEmpty { stretches.removeLast() }
  }

  // MARK: - What changes

  /// Adds that a member of the state has another value.
  ///
  /// - Parameters:
  ///   - beginning: The operation up to its value; see `beginningOfReplace`.
  ///   - value: The value.
  package mutating func replace(_ beginning: [UInt8], with value: Value) {
    operations.append(contentsOf: beginning)
    operations.appendJSON(value)
    operations.appendRaw("},")
  }

  /// Adds an operation on the state.
  package mutating func add(_ operation: Operation) {
    operations.appendJSON(operation)
    operations.append(.comma)
  }

  /// Adds a step of a text.
  package mutating func add(_ step: TextEdit, to text: Int) {
    steps.appendJSON(step)
    steps.append(.comma)
    if let last = stretches.indices.last, stretches[last].text == text {
      stretches[last].end = steps.count
    } else {
      stretches.append((text, steps.count))
    }
  }

  /// Adds a text of which there may be no step.
  package mutating func begin(_ text: Int) { stretches.append((text, steps.count)) }

  /// Adds something that happens once.
  package mutating func add(_ event: String, _ value: Value?) {
    events.append(event: event, value)
    events.append(.comma)
  }

  // MARK: - The frame

  /// The beginning of the operation by which a member of the state gets a new value, up to the value.
  package static func beginningOfReplace(_ name: String) -> [UInt8] {
    [UInt8](writing: {
      $0.appendRaw(#"{"op":"replace","path":""#)
      $0.appendPointerToken(name)
      $0.appendRaw(#"","value":"#)
    })
  }

  /// The beginning of a text's steps, up to the revision.
  package static func beginningOfEdits(_ name: String) -> [UInt8] {
    [UInt8](writing: {
      $0.appendJSON(name)
      $0.appendRaw(#":{"revision":"#)
    })
  }

  /// Writes the frame of a page that follows texts by edits.
  ///
  /// - Parameters:
  ///   - buffer: Where to.
  ///   - sequence: The turn's number.
  ///   - screen: The screen's number on the connections that get it.
  ///   - head: Writes what is before the steps of a text: the beginning, and the revision after the last of them.
  package func write(
    to buffer: inout ByteBuffer, sequence: Int, screen: Int, head: (Int, inout ByteBuffer) -> Void
  ) {
    buffer.appendFrame(screen: screen) { buffer in
      writePatch(to: &buffer, sequence: sequence)
      if hasTexts {
        buffer.appendRaw(#","edits":{"#)
        for first in stretches.indices { writeSteps(from: first, to: &buffer, head) }
        buffer.endList(.rightBrace)
      }
      writeEvents(to: &buffer)
    }
  }

  /// Writes the frame of a page that takes texts as values.
  ///
  /// - Parameters:
  ///   - buffer: Where to.
  ///   - sequence: The turn's number.
  ///   - screen: The screen's number on the connections that get it.
  ///   - texts: Operations on what has changed of the texts, each with a comma behind it.
  package func write(
    to buffer: inout ByteBuffer, sequence: Int, screen: Int, texts: borrowing ByteBuffer
  ) {
    let texts = texts.bytes
    buffer.appendFrame(screen: screen) { buffer in
      writePatch(to: &buffer, sequence: sequence, texts)
      writeEvents(to: &buffer)
    }
  }

  @inline(__always)
  private func writePatch(
    to buffer: inout ByteBuffer, sequence: Int, _ more: UnsafeBufferPointer<UInt8>? = nil
  ) {
    buffer.appendRaw(#"{"sequence":"#)
    buffer.appendJSON(sequence)
    guard !operations.isEmpty || more?.isEmpty == false else { return }
    buffer.appendRaw(#","patch":["#)
    buffer.append(contentsOf: operations.bytes)
    if let more { buffer.append(contentsOf: more) }
    buffer.endList(.rightBracket)
  }

  private func writeSteps(
    from first: Int, to buffer: inout ByteBuffer, _ head: (Int, inout ByteBuffer) -> Void
  ) {
    let text = stretches[first].text
    // The text was written with its first stretch.
    guard !stretches[..<first].contains(where: { $0.text == text }) else { return }
    head(text, &buffer)
    buffer.appendRaw(#","steps":["#)
    for next in stretches[first...].indices where stretches[next].text == text {
      let start = next > 0 ? stretches[next - 1].end : 0
      buffer.append(contentsOf: UnsafeBufferPointer(rebasing: steps.bytes[start..<stretches[next].end]))
    }
    buffer.endList(.rightBracket)
    buffer.appendRaw("},")
  }

  @inline(__always)
  private func writeEvents(to buffer: inout ByteBuffer) {
    guard !events.isEmpty else { return }
    buffer.appendRaw(#","events":["#)
    buffer.append(contentsOf: events.bytes)
    buffer.endList(.rightBracket)
  }
}
