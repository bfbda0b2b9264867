// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiText
package import MusubiWire

/// The values of a page whose session could not be resumed; taken when its last frame has come, as a whole.
final class HandOver {
  private(set) var values: [HandedValue] = []
  /// The bytes of heap that they take.
  private(set) var heapBytes = 0
  /// Whether the session ended with a room that was put aside: what the page shows would bring the same about again.
  let isBroken: Bool
  /// The number of the last input that the session took, as far as the server knows.
  let taken: Int

  init(isBroken: Bool, taken: Int) {
    self.isBroken = isBroken
    self.taken = taken
  }

  /// Takes a value, or the next piece of a text.
  ///
  /// - Parameters:
  ///   - name: The control's name.
  ///   - value: The value.
  ///   - maxBytes: The most bytes of a text; a piece too many says that it is too large, and is not kept.
  ///   - maxValues: The most values.
  func add(_ name: String, _ value: Value, maxBytes: Int, maxValues: Int) {
    if let known = values.firstIndex(where: { $0.name == name }) {
      guard case .string(let piece) = value, case .string(let text) = values[known].value else { return }
      guard text.utf8.count <= maxBytes else { return }
      values[known].value = .string(text + piece)
      heapBytes += piece.utf8.count
    } else if values.count < maxValues {
      values.append(HandedValue(name: name, value: value))
      heapBytes += MemoryLayout<HandedValue>.stride + value.heapBytes
    }
  }
}

/// The value of a two-way control as a page shows it.
package struct HandedValue: Equatable, Codable, Sendable {
  /// The control's name.
  package let name: String
  /// The shown value.
  package var value: Value

  /// A value.
  package init(name: String, value: Value) {
    self.name = name
    self.value = value
  }
}

/// The values that a room has been handed, and the names that inputs have changed since it began; an object of its own,
/// because an idle room has none.
final class RoomInheritance {
  /// What the room descends from.
  var lineage = Lineage()
  /// From which place each control was handed over.
  var controls: [String: Lineage] = [:]
  /// The outputs, other than texts, that an input has changed.
  var changed: Set<Int> = []
}

extension Room {
  /// What the room descends from.
  var lineage: [StreamPosition] { inheritance?.lineage.positions ?? [] }

  /// Takes the values of a page that has come back, as far as nobody here has changed them and nobody knew
  /// more.
  ///
  /// - Parameters:
  ///   - values: The values of the page's controls.
  ///   - position: Where the page stood in the stream of the room that is gone.
  ///   - lineage: What that room descends from.
  ///   - turn: Tells the pages.
  /// - Returns: The names of the values that the page has to give up: neither taken, nor known to be part of
  ///   earlier ones.
  func take(
    _ values: [HandedValue], at position: StreamPosition, of lineage: [StreamPosition], _ turn: TurnBuilder
  ) -> [String] {
    guard !lives(on: position) else { return [] }
    let page = Lineage(at: position, of: lineage)
    var givenUp: [String] = []
    var takesPart = false
    for value in values where isTwoWay(value.name) {
      let earlier = inheritance?.controls[value.name]
      let isNewer = earlier?.newest.map(page.contains) ?? true
      if !isRestored, isNewer, !isChanged(value.name), take(value, turn) {
        inherit { $0.controls[value.name] = page }
        takesPart = true
      } else if let newest = page.newest, earlier?.contains(newest) != true {
        givenUp.append(value.name)
      }
    }
    if takesPart { inherit { $0.lineage.add(page) } }
    return givenUp
  }

  /// Whether the room is the one of that stream: a page whose session alone has ended knows no more than the room does.
  func lives(on position: StreamPosition) -> Bool {
    position.epoch == epoch
      || isRestored && lineage.contains { $0.epoch == position.epoch }
  }

  /// An input has run: the room takes no hand-over of its name any more.
  func noteInput(_ name: String) {
    for control in sharedSchema.controls
    where control.name == name || instance.board.slots[control.output].isChanging {
      inherit { $0.changed.insert(control.output) }
    }
  }

  /// Whether pages hand over what a control of that name shows.
  func isTwoWay(_ name: String) -> Bool {
    textIndex(name) != nil || sharedSchema.controls.contains { $0.name == name }
  }

  /// Whether an input has changed the control since the room began.
  private func isChanged(_ name: String) -> Bool {
    if let index = textIndex(name) { return texts[index].isChangedByInput }
    return sharedSchema.controls.contains {
      $0.name == name && inheritance?.changed.contains($0.output) == true
    }
  }

  /// Gives the ViewModel a value, as if it were an input's.
  ///
  /// - Returns: Whether it passes the checks of one.
  private func take(_ value: HandedValue, _ turn: TurnBuilder) -> Bool {
    guard isAllowed(value.name, for: origin.member) else { return false }
    if let index = textIndex(value.name) {
      guard case .string(let text) = value.value,
        text.utf8.count <= textLimit(from: texts[index].text.utf8.count, for: member(origin.member))
      else { return false }
      noteTyped(text.utf8.count - texts[index].text.utf8.count, by: origin.member)
      for step in texts[index].set(text, sequence: log.head + 1, isViewModels: false) {
        turn.add(step, to: index)
      }
      // A two-way name takes strings, so that it cannot be refused.
      _ = feed(index)
      return true
    }
    do throws(BindingError) {
      try instance.deliver(value.name, value.value)
      return true
    } catch {
      return false
    }
  }
}
