// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import MusubiText
package import MusubiWire

/// The change of an output by the writes of one turn.
package enum OutputChange {
  /// All of it; the value before, nil if there was none.
  case whole(previous: Value?)
  /// Some elements of a list.
  case elements(ElementsChange)
}

/// Which elements of a list one turn has changed: an object of its own, because lists seldom change so.
package final class ElementsChange {
  /// The place of the first.
  package private(set) var place: Int
  /// The elements that were there.
  package private(set) var previous: [Value]
  /// How many are there now.
  package private(set) var count: Int

  init(at place: Int, previous: [Value], count: Int) {
    self.place = place
    self.previous = previous
    self.count = count
  }

  /// Makes it one stretch that covers another one, too, with the elements that were there when the turn began.
  ///
  /// Only what it did not cover is added: a turn may change many elements, one after the other.
  ///
  /// - Parameters:
  ///   - range: The other stretch, which is about to be replaced.
  ///   - elements: The list now.
  ///   - newCount: How many elements come in the place of the other stretch.
  fileprivate func cover(_ range: Range<Int>, of elements: [Value], by newCount: Int) {
    let (begin, end) = (min(place, range.lowerBound), max(place + count, range.upperBound))
    if place + count < end { previous.append(contentsOf: elements[place + count..<end]) }
    if begin < place { previous.insert(contentsOf: elements[begin..<place], at: 0) }
    (place, count) = (begin, end - begin - range.count + newCount)
  }
}

/// One named output of a live screen.
package final class OutputSlot: TextShowing {
  /// The name in the page and on the wire.
  package let name: String
  /// The board that it belongs to, which clears it in `close`, at the latest in its own deinit.
  // Unchecked, with four more here and in the board: a tap that changes a label costs 130 ns of the binding, not 181.
  @exclusivity(unchecked) unowned var board: OutputBoard?
  @exclusivity(unchecked) private var latest: Value?
  private var asksBack = false
  private var isUnseen = false
  // In four bytes, it lies beside the value's last one.
  private let place: Int32
  /// The value when the turn began; nil if it was not written since.
  @exclusivity(unchecked) private var earlier: Value?
  /// Whether the turn has written it.
  private var isWritten = false
  /// The place of the slot that was written next in this turn; -1 if it is the last.
  var nextWritten: Int32 = -1
  /// What is known of a list of which elements were replaced; nil of other outputs.
  private var list: ListNotes?
  /// The text that the last value answers; nil if it answers the newest one.
  private var question: Question?

  /// The text that an outlet shows, if it shows one: the last written one, or later typing.
  var shownText: String?

  /// An object of its own, because most outputs are no lists.
  private final class ListNotes {
    /// The elements that the turn has changed, if it has not written the whole list.
    var change: ElementsChange?
    /// The bytes of heap that the list takes; nil if they have not been counted since it was written.
    var bytes: Int?
  }

  private final class Question {
    let text: String

    init(_ text: String) { self.text = text }
  }

  // Not inlined into other modules, where the access would be checked.
  /// The last value that was written; nil before the first.
  package var value: Value? { @inline(never) get { latest } }

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

  /// Sets the output's value; the room sends the difference at the end of its turn.
  ///
  /// - Parameters:
  ///   - newValue: The value.
  ///   - question: The text that it answers, if that may not be the newest one.
  package func write(_ newValue: consuming Value, answering question: String? = nil) {
    if self.question != nil || question != nil { self.question = question.map(Question.init) }
    isUnseen = true
    if !isWritten {
      if noteFirstWriting() { swap(&earlier, &latest) }
    } else if let change = list?.change {
      list?.change = nil
      if case .array(var elements) = latest {
        elements.replaceSubrange(change.place..<change.place + change.count, with: change.previous)
        earlier = .array(elements)
      }
    }
    latest = consume newValue
    list?.bytes = nil
    board?.announce()
  }

  /// Has the pages show a text; nil shows as an empty one.
  package func show(_ text: String?) {
    shownText = text
    write(.string(text ?? ""))
  }

  /// The text that was written since the last call, and the one that it answers, if that may not be the newest.
  func takeUnseenText() -> (text: String, question: String?)? {
    guard isUnseen else { return nil }
    isUnseen = false
    guard case .string(let text) = latest else { return nil }
    return (text, question?.text)
  }

  /// What `takeUnseenText` would hand over, and leaves there.
  var unseenText: String? {
    guard isUnseen, case .string(let text) = latest else { return nil }
    return text
  }

  /// Whether a list, or some rows of it, was written since the last call.
  package func takeUnseenRows() -> Bool {
    defer { isUnseen = false }
    return isUnseen
  }

  /// Whether the turn has changed it so far.
  package var isChanging: Bool { @inline(never) get { isWritten } }

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
    isUnseen = true
    let list = self.list ?? ListNotes()
    self.list = list
    if !isWritten {
      if noteFirstWriting() {
        list.change = ElementsChange(
          at: range.lowerBound, previous: Array(elements[range]), count: new.count)
      }
    } else {
      list.change?.cover(range, of: elements, by: new.count)
    }
    let rest = list.bytes.map { $0 - HeapSize.array(elements) - Self.heapBytes(elements[range]) }
    // The array has no other owner while it changes.
    latest = nil
    elements.replaceSubrange(range, with: new)
    list.bytes = rest.map { $0 + HeapSize.array(elements) + Self.heapBytes(new[...]) }
    latest = .array(elements)
    board?.announce()
  }

  /// The bytes of heap that the value takes; of a list, only what has changed is counted again.
  package var heapBytes: Int {
    if let bytes = list?.bytes { return bytes }
    let bytes = latest?.heapBytes ?? 0
    list?.bytes = bytes
    return bytes
  }

  private static func heapBytes(_ elements: ArraySlice<Value>) -> Int {
    elements.reduce(0) { $0 + $1.heapBytes }
  }

  /// Notes that the turn writes the slot; it does not if there is no board.
  private func noteFirstWriting() -> Bool {
    guard let board else { return false }
    isWritten = true
    board.noteFirstWriting(of: self)
    return true
  }

  /// Hands over what the turn has changed, and begins another.
  func takeChange() -> OutputChange {
    isWritten = false
    if let change = list?.change {
      list?.change = nil
      return .elements(change)
    }
    var previous: Value?
    swap(&previous, &earlier)
    return .whole(previous: previous)
  }
}
