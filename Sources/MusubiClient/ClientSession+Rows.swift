// SPDX-License-Identifier: Apache-2.0
internal import MusubiText
internal import MusubiWire

/// Texts in rows: their keys are the ways to them by ids, and they live as long as their rows.
extension ClientSession {
  /// Whether a text's key is that of a text in a row.
  static func isOfRow(_ key: String) -> Bool { key.hasPrefix("/") }

  /// What is behind the name of a long list in the keys of its rows' texts: turns tell those that somebody edits as texts of
  /// a list of that name.
  private static let edited = "..edited"

  /// Whether a text's key is that of a text in a long list's row, which is what the row shows while nobody edits it.
  ///
  /// An id may end so, too.
  static func isOfLongList(_ key: String) -> Bool {
    key.dropFirst().prefix { $0 != "/" }.hasSuffix(edited) && isOfRow(key)
  }

  /// Names a text of the shown screen; nil if it is in a row that is not there.
  func key(of name: String, row: [String]) -> String? {
    guard !row.isEmpty else { return name }
    for output in state.objectValue ?? Value.Object() {
      if let way = output.value.way(toText: name, inRows: row[...]) {
        return JSONPointer([output.key] + way).description
      }
      if let way = output.value["rows"]?.way(toText: name, inRows: row[...]) {
        return JSONPointer([output.key + Self.edited] + way).description
      }
    }
    return nil
  }

  /// The text of a field by the state; nil if the text is not there.
  func fieldText(_ key: String, in state: Value) -> String? {
    guard Self.isOfRow(key) else { return state["\(key).field"]?.stringValue }
    guard var places = places(of: key, in: state) else { return windowText(key, in: state) }
    let text = state[JSONPointer(places)]?.stringValue
    places[places.count - 1] += ".field"
    return state[JSONPointer(places)]?.stringValue ?? text
  }

  /// The text that a long list's row shows; nil if the client does not look at the row.
  private func windowText(_ key: String, in state: Value) -> String? {
    guard Self.isOfLongList(key), let way = way(of: key), let list = way.first?.dropLast(Self.edited.count),
      let rows = state[String(list)]?["rows"], let places = rows.places(of: way.dropFirst())
    else { return nil }
    return rows[JSONPointer(places)]?.stringValue
  }

  /// Turns do not tell a text of a long list's row any longer: what is typed and not taken stays.
  ///
  /// - Returns: The text; nil if nothing is.
  func loosened(_ document: ClientDocument, of key: String) throws(ClientError) -> ClientDocument? {
    var document = document
    do throws(TextEditError) {
      try document.loosen(acknowledged: acknowledged)
    } catch {
      throw ClientError(.textOutOfStep(name: key))
    }
    return document.pending.isEmpty ? nil : document
  }

  /// The way to a row's text by places; nil if the row is not there.
  private func places(of key: String, in state: Value) -> [String]? {
    guard let way = way(of: key), let list = way.first else { return nil }
    return state[list]?.places(of: way.dropFirst()).map { [list] + $0 }
  }

  private func way(of key: String) -> [String]? {
    do throws(WireError) { return try JSONPointer(parsing: key).tokens } catch { return nil }
  }

  /// The whole state has come, in which a row's text has no document.
  func replace(
    _ document: ClientDocument, of key: String, by text: String
  ) throws(ClientError) -> ClientDocument {
    var document = document
    do throws(TextEditError) {
      try document.replace(by: text, revision: nil, acknowledged: acknowledged)
    } catch {
      throw ClientError(.textOutOfStep(name: key))
    }
    return document
  }

  /// After a turn's patch: documents end with their rows, and texts without one are what the rows show.
  mutating func followRows(_ turn: ReceivedFrame.Turn, on screen: Int) throws(ClientError) {
    guard let state = screens[screen]?.state else { return }
    for (key, document) in screens[screen]?.documents ?? [:] where Self.isOfRow(key) {
      guard let text = fieldText(key, in: state) else {
        if Self.isOfLongList(key) {
          if document.isBegun {
            let loose = try loosened(document, of: key)
            screens[screen]?.documents[key] = loose
          }
          continue
        }
        screens[screen]?.documents[key] = nil
        orphan(document, of: key, on: screen)
        continue
      }
      guard !document.isBegun, !turn.edits.contains(where: { $0.name == key }) else { continue }
      do throws(TextEditError) {
        try screens[screen]?.documents[key]?.follow(text)
      } catch {
        throw ClientError(.textOutOfStep(name: key))
      }
    }
  }

  /// Whether a turn's steps of a text mean something: its row may have gone in the same turn.
  func isTold(_ key: String, on screen: Int) -> Bool {
    guard Self.isOfLongList(key), let state = screens[screen]?.state else { return true }
    return places(of: key, in: state) != nil
  }

  /// A turn has steps of a text, with which its document may begin.
  mutating func begin(_ change: ReceivedFrame.TextChange, on screen: Int) throws(TextEditError) {
    guard let text = change.text, let state = screens[screen]?.state,
      places(of: change.name, in: state) != nil
    else { return }
    let revision = change.revision - change.steps.count
    if screens[screen]?.documents[change.name] != nil {
      try screens[screen]?.documents[change.name]?.begin(text: text, revision: revision)
    } else {
      screens[screen]?.documents[change.name] = ClientDocument(text: text, revision: revision)
    }
  }

  /// Has the state tell what the rows' fields hold, as it does for the fields of the screen.
  mutating func showRowFields(on screen: Int) {
    for (key, document) in screens[screen]?.documents ?? [:] where Self.isOfRow(key) && document.isBegun {
      guard let state = screens[screen]?.state, let places = places(of: key, in: state) else { continue }
      screens[screen]?.state.setField(document.serverText, at: places[...])
    }
  }

  /// The input that carries an edit of a text.
  func edit(_ number: Int, of key: String, on screen: Int) -> Unconfirmed {
    let way = Self.isOfRow(key) ? way(of: key) ?? [] : [key]
    let row = stride(from: 1, to: way.count - 1, by: 2).map { way[$0] }
    return Unconfirmed(
      number: number, name: way.last ?? key, row: row, value: nil, isEdit: true, screen: screen, key: key)
  }

  /// A row has gone: text that was typed there and not taken is kept for people.
  mutating func orphan(_ document: ClientDocument, of key: String, on screen: Int) {
    outbox.removeAll { $0.isEdit && $0.screen == screen && $0.key == key }
    guard !document.pending.isEmpty, let way = way(of: key) else { return }
    let row = stride(from: 1, to: way.count - 1, by: 2).map { way[$0] }
    orphanedTexts.append(OrphanedText(name: way[way.count - 1], row: row, text: document.text))
  }

  /// An edit of a row was not taken, and none that refers to it will be.
  mutating func dropRowText(ofInput number: Int) {
    guard let input = outbox.first(where: { $0.number == number && $0.isEdit && Self.isOfRow($0.key) }),
      let document = screens[input.screen]?.documents.removeValue(forKey: input.key)
    else { return }
    orphan(document, of: input.key, on: input.screen)
  }
}
