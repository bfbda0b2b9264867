// SPDX-License-Identifier: Apache-2.0
package import MusubiText

/// The pieces of a turn's frame: operations, steps and events, each written as soon as it is known.
///
/// They are the same in every encoding of the turn, so that nothing has to be kept as a value until its frame is written.
/// Whoever uses it numbers the texts; their names and revisions are asked for at the end.
package struct TurnPieces: ~Copyable {
  // In all three, a comma is behind each.
  private var operations = ByteScratch()
  private var steps = ByteScratch()
  private var events: [UInt8] = []
  /// Where an operation is written whose length is not known before.
  private var json: [UInt8] = []
  /// Whose steps these are: stretches that follow one another, each of one text.
  private var stretches: [(text: Int, end: Int)] = []

  /// Nothing has changed.
  package init() {}

  /// How many bytes the steps take in a frame.
  package var stepBytes: Int { steps.count }

  /// Whether some text has changed.
  package var hasTexts: Bool { !stretches.isEmpty }

  /// Whether nothing has changed.
  package var isEmpty: Bool { operations.count == 0 && stretches.isEmpty && events.isEmpty }

  /// Whether a text has changed.
  package func isChanged(_ text: Int) -> Bool { stretches.contains { $0.text == text } }

  /// Forgets everything but the memory that it took.
  package mutating func removeAll() {
    operations.removeAll()
    steps.removeAll()
    while !stretches.isEmpty { stretches.removeLast() }
    if !events.isEmpty { events = [] }
  }

  // MARK: - What changes

  /// Adds that a member of the state has another text.
  ///
  /// - Parameters:
  ///   - beginning: The operation up to its value; see `FrameWriter.beginningOfReplace`.
  ///   - text: The value.
  package mutating func replace(_ beginning: UnsafeBufferPointer<UInt8>, with text: String) {
    operations.append(atMost: beginning.count + ReservedBytes.maxStringBytes(text) + 2) {
      $0.raw(beginning)
      $0.string(text)
      $0.raw("},")
    }
  }

  /// Adds an operation on the state.
  package mutating func add(_ operation: Operation) {
    json.removeAll(keepingCapacity: true)
    json.appendJSON(operation)
    json.append(.comma)
    operations.append(json)
    if json.capacity > ByteScratch.maxKeptBytes { json = [] }
  }

  /// Adds a step of a text.
  package mutating func add(_ step: TextEdit, to text: Int) {
    steps.append(atMost: ReservedBytes.maxEditBytes(step) + 1) {
      $0.edit(step)
      $0.byte(.comma)
    }
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
    events.appendRaw(#"{"name":"#)
    events.appendJSON(event)
    if let value {
      events.appendRaw(#","value":"#)
      events.appendJSON(value)
    }
    events.appendRaw("},")
  }

  // MARK: - The frame

  /// Writes the frame of a page that follows texts by edits.
  ///
  /// - Parameters:
  ///   - bytes: Where to.
  ///   - sequence: The turn's number.
  ///   - screen: The screen's number on the connections that get it.
  ///   - maxHeadBytes: The most bytes that `head` writes.
  ///   - maxOtherBytes: The most bytes that it writes for all texts together of which this does not hold.
  ///   - head: Writes what is before the steps of a text: the beginning, and the revision after the last of them.
  package func write(
    to bytes: inout [UInt8], sequence: Int, screen: Int, maxHeadBytes: Int, maxOtherBytes: Int = 0,
    head: (Int, inout ReservedBytes) -> Void
  ) {
    bytes.append(atMost: maxBytes(maxHeadBytes) + maxOtherBytes) {
      $0.beginFrame()
      $0.raw(#"{"sequence":"#)
      $0.integer(sequence)
      writeOperations([], to: &$0)
      if hasTexts { writeTexts(to: &$0, head) }
      writeEvents(to: &$0)
      $0.end(screen)
    }
  }

  /// Writes the frame of a page that takes texts as values.
  ///
  /// - Parameters:
  ///   - bytes: Where to.
  ///   - sequence: The turn's number.
  ///   - screen: The screen's number on the connections that get it.
  ///   - texts: Operations on what has changed of the texts, each with a comma behind it.
  package func write(to bytes: inout [UInt8], sequence: Int, screen: Int, texts: [UInt8]) {
    bytes.append(atMost: 160 + operations.count + texts.count + events.count) {
      $0.beginFrame()
      $0.raw(#"{"sequence":"#)
      $0.integer(sequence)
      writeOperations(texts, to: &$0)
      writeEvents(to: &$0)
      $0.end(screen)
    }
  }

  private func maxBytes(_ maxHeadBytes: Int) -> Int {
    160 + operations.count + steps.count + events.count + stretches.count * (maxHeadBytes + 30)
  }

  @inline(__always)
  private func writeOperations(_ more: [UInt8], to writer: inout ReservedBytes) {
    guard operations.count > 0 || !more.isEmpty else { return }
    writer.raw(#","patch":["#)
    writer.raw(operations.bytes)
    if !more.isEmpty { writer.raw(more) }
    writer.replaceLast(by: .rightBracket)
  }

  private func writeTexts(to writer: inout ReservedBytes, _ head: (Int, inout ReservedBytes) -> Void) {
    writer.raw(#","edits":{"#)
    for first in stretches.indices {
      let text = stretches[first].text
      // The text was written with its first stretch.
      guard !stretches[..<first].contains(where: { $0.text == text }) else { continue }
      head(text, &writer)
      writer.raw(#","steps":["#)
      var hasSteps = false
      for next in stretches[first...].indices where stretches[next].text == text {
        let start = next > 0 ? stretches[next - 1].end : 0
        hasSteps = hasSteps || start < stretches[next].end
        writer.raw(UnsafeBufferPointer(rebasing: steps.bytes[start..<stretches[next].end]))
      }
      if hasSteps { writer.replaceLast(by: .rightBracket) } else { writer.byte(.rightBracket) }
      writer.raw("},")
    }
    writer.replaceLast(by: .rightBrace)
  }

  @inline(__always)
  private func writeEvents(to writer: inout ReservedBytes) {
    guard !events.isEmpty else { return }
    writer.raw(#","events":["#)
    writer.raw(events)
    writer.replaceLast(by: .rightBracket)
  }
}
