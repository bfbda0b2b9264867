// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

/// What the writes of one turn have changed of an output.
package enum OutputChange {
  /// All of it; the value before, nil if there was none.
  case whole(previous: Value?)
  /// Some elements of a list, from that place on: those that were there, and how many are there now.
  indirect case elements(at: Int, previous: [Value], count: Int)
}

/// One named output of a live screen.
package final class OutputSlot {
  /// The name in the page and on the wire.
  package let name: String
  // `unsafe`: the board clears it in `close`, at the latest in its own deinit, and holds the slot until then.
  unowned(unsafe) var board: OutputBoard?
  @exclusivity(unchecked) private var latest: Value?
  @exclusivity(unchecked) private var asksBack = false
  @exclusivity(unchecked) private var isUnseen = false
  // In four bytes, it lies beside the value's last one.
  private let place: Int32
  /// What this turn has changed; nil if nothing was written.
  @exclusivity(unchecked) private var change: OutputChange?
  /// The text that the last value answers; nil if it answers the newest one.
  @exclusivity(unchecked) package private(set) var question: String?

  // Not inlined into other modules, where the access would be checked.
  /// The last value that was written; nil before the first.
  package private(set) var value: Value? {
    @inline(never) get { latest }
    set { latest = newValue }
  }

  /// Whether values may answer texts that are no longer the newest, so that those are to be remembered.
  package var expectsQuestions: Bool {
    @inline(never) get { asksBack }
    set { asksBack = newValue }
  }

  /// The position in the board.
  package var index: Int { Int(place) }

  /// A slot that belongs to no board yet; an outlet outside a screen has such slots.
  package init(name: String, index: Int = 0) {
    self.name = name
    place = Int32(index)
  }

  /// Sets the output's value; the room sends what differs at the end of its turn.
  ///
  /// - Parameters:
  ///   - newValue: The value.
  ///   - question: The text that it answers, if that may not be the newest one.
  package func write(_ newValue: Value, answering question: String? = nil) {
    self.question = question
    isUnseen = true
    switch change {
    case nil: note(.whole(previous: latest))
    case .whole: break
    case .elements(let place, let previous, let count):
      if case .array(var elements) = latest {
        elements.replaceSubrange(place..<place + count, with: previous)
        change = .whole(previous: .array(elements))
      }
    }
    latest = newValue
    board?.announce()
  }

  /// The text that was written since the last call, and the one that it answers, if that may not be the newest.
  @inline(never) package func takeUnseenText() -> (text: String, question: String?)? {
    guard isUnseen else { return nil }
    isUnseen = false
    guard case .string(let text) = latest else { return nil }
    return (text, question)
  }

  /// How many elements the list has; 0 if it is none.
  var elementCount: Int {
    guard case .array(let elements)? = latest else { return 0 }
    return elements.count
  }

  /// An element of the list, which has it.
  func element(_ place: Int) -> Value {
    guard case .array(let elements)? = latest else { return .null }
    return elements[place]
  }

  /// Puts elements of a list in the place of others; the rest of the list is neither copied nor compared.
  ///
  /// - Parameters:
  ///   - range: Where the others are.
  ///   - new: The elements.
  package func replaceElements(_ range: Range<Int>, with new: [Value]) {
    guard case .array(var elements)? = latest else { return }
    switch change {
    case nil:
      note(.elements(at: range.lowerBound, previous: Array(elements[range]), count: new.count))
    case .whole: break
    case .elements(let place, let previous, let count):
      // One stretch that covers both, with what was there when the turn began.
      let begin = min(place, range.lowerBound)
      let end = max(place + count, range.upperBound)
      change = .elements(
        at: begin, previous: elements[begin..<place] + previous + elements[place + count..<end],
        count: end - begin - range.count + new.count)
    }
    // The array has no other owner while it changes.
    latest = nil
    elements.replaceSubrange(range, with: new)
    latest = .array(elements)
    board?.announce()
  }

  private func note(_ change: OutputChange) {
    guard let board else { return }
    self.change = change
    board.noteFirstWriting(of: self)
  }

  func takeChange() -> OutputChange? {
    defer { change = nil }
    return change
  }
}
