// SPDX-License-Identifier: Apache-2.0
internal import MusubiText
internal import MusubiWire

/// The hand-over of a page whose session could not be resumed: Wire.md, *Handing over*.
extension ClientSession {
  /// Most scalars of a text in one frame; each takes at most 6 bytes as JSON, so no frame exceeds 16 KiB.
  private static let maxScalars = 2_600

  /// Hands over what the first screen shows: its texts as the server had them, and what this visitor has set.
  ///
  /// - Parameter frameLimit: The most bytes of a frame; nil if the server does not say.
  /// - Returns: Whether there was anything; the server answers it.
  mutating func handOver(frameLimit: Int?) -> Bool {
    guard let screen = screens[0], let known = screen.known else { return false }
    let most = max(1, min(Self.maxScalars, ((frameLimit ?? .max) - 512) / 6))
    let texts = screen.documents.filter { name, document in
      // A row's text belongs to the ViewModel, and a text that nobody has changed to the new room.
      !Self.isOfRow(name) && (document.revision > 0 || !document.pending.isEmpty)
    }
    for (name, document) in texts.sorted(by: { $0.key < $1.key }) {
      var rest = document.serverText.unicodeScalars[...]
      repeat {
        let piece = rest.prefix(most)
        rest = rest[piece.endIndex...]
        emit(.handOver(name: name, value: .string(String(piece))))
      } while !rest.isEmpty
    }
    for (name, value) in known.values { emit(.handOver(name: name, value: value)) }
    guard !texts.isEmpty || !known.values.isEmpty else { return false }
    emit(.endHandOver(at: known.position, lineage: screen.lineage))
    return true
  }

  /// The server has answered: a text that it does not take is kept for people, once its replacement is known.
  mutating func endHandOver(givingUp names: [String], acknowledged: Int) -> [ClientNotice] {
    guard let hello = greeting else { return [] }
    givenUp = Set(names)
    return start(hello, isReturning: true, taken: acknowledged)
  }

  /// A text comes that may take the place of one that is given up.
  mutating func giveUp(_ document: ClientDocument, named name: String, for text: String) {
    guard givenUp.remove(name) != nil, !text.hasSameBytes(as: document.serverText) else { return }
    orphanedTexts.append(OrphanedText(name: name, row: [], text: document.text))
  }
}

extension ScreenState {
  /// The controls that a new session is handed, and their position; nil before the first state.
  var known: Known? {
    guard let position else { return remembered }
    let values = chosen.compactMap { name in (state["\(name).field"] ?? state[name]).map { (name, $0) } }
    return Known(
      position: StreamPosition(epoch: position.epoch, sequence: position.sequence),
      values: values.filter { documents[$0.0] == nil })
  }

  /// Keeps the values to hand over, while the position in the stream of turns is given up.
  mutating func remember() {
    remembered = known
    position = nil
  }
}
