// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiText
import MusubiWire

/// The record of a room that nobody shows, or whose turn waits: it has the changes that wait to be told, too.
///
/// ```
/// turn 7          the last that pages know
/// record          turn 8, the newest texts, events of turn 8: no page is there
/// the return      turn 8: all that waits, in one
/// ```
/// A page that has seen turn 7 alone is told the events of a restored room, and one that has seen turn 8 is not.
extension Room {
  /// Has what waits take part in the record that is written now.
  func prepareRecord() {
    if isHeldBack { takeTextsOfRestingRows() }
    guard isSuspended else { return }
    instance.board.prepareRecord(texts: sharedSchema.textOutputs, withEvents: key.isPrivate)
    for problem in instance.board.takeProblems() { report(problem) }
  }

  /// The ViewModel's change of a text that pages do not know yet; nil if they know it.
  func waitingText(_ index: Int) -> String? {
    guard isSuspended, let text = instance.board.waitingText(of: sharedSchema.textOutputs[index]) else {
      return nil
    }
    return text.hasSameBytes(as: texts[index].text) ? nil : text
  }

  /// Whether a record has what no turn has told.
  var isRecordAhead: Bool {
    guard isSuspended else { return isHeldBack && turn?.hasTexts == true }
    return turn?.hasTexts == true || texts.indices.contains { waitingText($0) != nil }
      || (key.isPrivate && instance.board.hasEvents)
  }

  /// The events that a record has, the newest ones.
  var recordEvents: [StoredRoom.Event] {
    guard isSuspended, key.isPrivate, instance.board.hasEvents else { return keptEvents }
    let waiting = instance.board.events.map {
      StoredRoom.Event(sequence: sequence + 1, name: $0.name, value: $0.value)
    }
    return Array((keptEvents + waiting).suffix(Self.maxKeptEvents))
  }

  /// Whether the state may have other texts of rows than the record, which has those that pages know.
  ///
  /// The restored screen's values are compared with them, as are those that wait when a page is there again.
  var rowsFollow: Bool {
    guard isSuspended, let rows else { return false }
    return rows.outputs.contains { instance.board.waits($0) }
  }

  /// The texts that a record has.
  var recordTexts: [StoredRoom.Text] {
    let screen = texts.enumerated().map { index, text in
      let waiting = waitingText(index)
      return StoredRoom.Text(
        name: text.name, text: waiting ?? text.text, revision: text.revision + (waiting == nil ? 0 : 1))
    }
    return screen + (rows?.all ?? []).map(\.stored)
  }
}
