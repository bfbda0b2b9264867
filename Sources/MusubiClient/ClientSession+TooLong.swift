// SPDX-License-Identifier: Apache-2.0
internal import MusubiText
internal import MusubiWire

/// Text that is too long for the server: it stays here until it fits.
extension ClientSession {
  /// By how many characters a field's text is too long for the server, which therefore has not got it.
  ///
  /// A character is what people take for one. The field keeps its text, and sends it as soon as it fits.
  ///
  /// - Parameters:
  ///   - name: The input's or the text's name.
  ///   - row: The ids of the rows that it is in, outermost first.
  /// - Returns: How many characters have to be taken from its end; 0 if it is not too long.
  public func charactersTooLong(in name: String, row: [String] = []) -> Int {
    if let input = kept(name, row), let value = input.value {
      guard let text = value.stringValue else {
        return Self.characters(value.description, over: excess(of: input)) { $0.utf8.count }
      }
      return Self.characters(text, over: excess(of: input)) { Self.bytesInJSON(of: $0) }
    }
    guard let key = key(of: name, row: row), let document = documents[key], document.isStranded else {
      return 0
    }
    return Self.characters(document.text, over: document.text.utf8.count - limits.text) { $0.utf8.count }
  }

  /// The value of an input on the shown screen that no frame can hold.
  func kept(_ name: String, _ row: [String]) -> Unconfirmed? {
    tooLong[Place(name: name, row: row, screen: shown)]
  }

  /// By how many bytes the frame of an input is too long.
  func excess(of input: Unconfirmed) -> Int { frame(of: input).count - limits.frame }

  /// A new session may have other limits.
  mutating func measureAgain() {
    let grown = outbox.filter { $0.value != nil && excess(of: $0) > 0 }
    outbox.removeAll { input in grown.contains { $0.number == input.number } }
    let fitting = tooLong.values.filter { $0.screen == 0 && excess(of: $0) <= 0 }
    for input in fitting.sorted(by: { $0.number < $1.number }) {
      tooLong[input.place] = nil
      enqueue(
        Unconfirmed(
          number: lastNumber + 1, name: input.name, row: input.row, value: input.value, isEdit: false,
          screen: 0))
    }
    for input in grown { tooLong[input.place] = input }
  }

  // MARK: - Two-way texts

  /// The person changes a text of the shown screen; what makes it too long stays here.
  mutating func change(_ key: String, by edit: TextEdit) throws(TextEditError) {
    guard let document = documents[key] else { return }
    let after = try edit.applied(to: document.text)
    guard !document.isStranded, fits(from: document.text, to: after, key, on: shown) else {
      try documents[key]?.edit(edit, number: 0)
      return shareStranded()
    }
    for part in edit.parts(maxUnits: maxUnits(key, on: shown)) {
      let number = lastNumber + 1
      try documents[key]?.edit(part, number: number)
      enqueue(self.edit(number, of: key, on: shown))
    }
  }

  /// Queues unsent text, as far as it fits by now.
  mutating func shareStranded() {
    for screen in screens.keys.sorted() {
      let texts = (screens[screen]?.documents ?? [:]).filter(\.value.isStranded)
      for (key, document) in texts.sorted(by: { $0.key < $1.key }) {
        guard let edit = document.stranded,
          fits(from: document.serverText, to: document.text, key, on: screen)
        else { continue }
        let parts = edit.isEmpty ? [] : edit.parts(maxUnits: maxUnits(key, on: screen))
        let first = lastNumber + 1
        screens[screen]?.documents[key]?.resubmit(as: parts.enumerated().map { (first + $0, $1) })
        for number in first..<first + parts.count { enqueue(self.edit(number, of: key, on: screen)) }
      }
    }
  }

  /// Whether the server takes a change of a text: one that makes it no longer, always.
  private func fits(from before: String, to after: String, _ key: String, on screen: Int) -> Bool {
    maxUnits(key, on: screen) >= TextEdit.leastUnits
      && after.utf8.count <= max(limits.text, before.utf8.count)
  }

  /// The most units of an edit in one frame, each of which JSON writes in at most 6 bytes.
  private func maxUnits(_ key: String, on screen: Int) -> Int {
    let input = edit(ClientFrame.maximumNumber, of: key, on: screen)
    let frame = frame(of: input, carrying: .edit(TextEdit([]), revision: ClientFrame.maximumNumber))
    // The first edit in a long list's row tells the text, of which characters may take twice their bytes.
    let shown = Self.isOfLongList(key) ? limits.frame / 4 : 0
    return (min(16_384, limits.frame - shown) - frame.count) / 6
  }

  // MARK: - Characters

  /// How many characters have to be taken from the end of a text, so that it takes so many bytes less.
  private static func characters(_ text: String, over bytes: Int, size: (Character) -> Int) -> Int {
    var left = bytes
    var count = 0
    for character in text.reversed() {
      guard left > 0 else { break }
      left -= size(character)
      count += 1
    }
    return count
  }

  /// The bytes of a character inside of a JSON text, where some are written as several.
  private static func bytesInJSON(of character: Character) -> Int {
    [UInt8](writing: { $0.appendJSON(String(character)) }).count - 2
  }
}
