// SPDX-License-Identifier: Apache-2.0
package import MusubiRx
import Synchronization

/// Brings the files that are on their way to the screens that ask for them; all loops of a server share it.
///
/// ```
/// the uploads                               a screen's loop
///   note, end ──▶ FileArrivals ──▶ SharedRelay ──▶ arrivingFiles(for:)
///                      ▲
///   a room: who may send, and shows the screen
/// ```
package final class FileArrivals: Sendable {
  /// So many files of a control are listed; others wait until one of these has gone.
  package static let most = 32

  /// A room: the name of its screen, and its own, which is the session's for a screen in session scope.
  package struct Room: Hashable, Codable, Sendable {
    package let screen: String
    package let name: String

    /// A room.
    package init(screen: String, name: String) { (self.screen, self.name) = (screen, name) }
  }

  /// A control of a room.
  package struct Place: Hashable, Codable, Sendable {
    package let room: Room
    /// The control's name.
    package let input: String

    /// A control.
    package init(_ room: Room, input: String) { (self.room, self.input) = (room, input) }
  }

  /// A file, and the id of the visitor who sends it.
  private struct Listed {
    var file: ArrivingFile
    let sender: String?
  }

  /// The pages of a room, and where each may send files.
  private struct Pages {
    let owner: ObjectIdentifier
    var inputs: [Int: (visitor: String?, inputs: [String])] = [:]

    func mayOneSend(_ visitor: String?, to input: String) -> Bool {
      inputs.values.contains { $0.visitor == visitor && $0.inputs.contains(input) }
    }
  }

  private struct State {
    var files: [Place: [Listed]] = [:]
    var relays = WeakRelays<Place, [ArrivingFile]>()
    var pages: [Room: Pages] = [:]
    /// How often something has changed.
    var changes = 0

    /// What a screen is told: who may not send, or has left, is shown to nobody.
    func shown(at place: Place) -> [ArrivingFile] {
      guard let files = files[place], let pages = pages[place.room] else { return [] }
      return files.filter { pages.mayOneSend($0.sender, to: place.input) }.map(\.file)
    }
  }

  private let state = Mutex(State())

  /// Nothing is on its way.
  package init() {}

  /// The relay that tells the files of a control; may be called from any thread.
  package func follow(_ place: Place) -> SharedRelay<[ArrivingFile]> {
    state.withLock { state in
      if let relay = state.relays[place] { return relay }
      let relay = SharedRelay(value: state.shown(at: place))
      state.relays.keep(relay, for: place)
      return relay
    }
  }

  // MARK: - What arrives

  /// Some of a file has arrived; called by one caller at a time.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - sender: The id of the visitor who sends it.
  ///   - place: Where it goes.
  package func note(_ file: ArrivingFile, from sender: String?, at place: Place) {
    change(place) { files in
      if let index = files.firstIndex(where: { $0.file.id == file.id }) {
        files[index].file = file
      } else if files.count < Self.most {
        files.append(Listed(file: file, sender: sender))
      }
    }
  }

  /// A file is no longer on its way; called by one caller at a time.
  package func end(_ id: String, at place: Place) {
    change(place) { files in files.removeAll { $0.file.id == id } }
  }

  private func change(_ place: Place, _ body: (inout [Listed]) -> Void) {
    state.withLock { state in
      state.changes += 1
      body(&state.files[place, default: []])
      // A screen that asks later is told with the next bytes.
      if state.relays[place] == nil || state.files[place]?.isEmpty == true { state.files[place] = nil }
    }
    tell(place)
  }

  // MARK: - Who may send

  /// A page of a room may send files to some controls from now on, and to no others; called on the room's loop.
  ///
  /// - Parameters:
  ///   - inputs: The controls' names; none once the page has left.
  ///   - visitor: The id of its visitor.
  ///   - page: Its number in the room.
  ///   - room: The room.
  ///   - owner: What `forget` names.
  package func open(
    _ inputs: [String], to visitor: String?, page: Int, of room: Room, owner: ObjectIdentifier
  ) {
    let places = state.withLock { state -> [Place] in
      state.changes += 1
      var pages = state.pages[room] ?? Pages(owner: owner)
      if pages.owner != owner { pages = Pages(owner: owner) }
      pages.inputs[page] = inputs.isEmpty ? nil : (visitor, inputs)
      state.pages[room] = pages
      return state.files.keys.filter { $0.room == room }
    }
    for place in places { tell(place) }
  }

  /// A room has gone from memory.
  package func forget(_ room: Room, owner: ObjectIdentifier) {
    state.withLock { if $0.pages[room]?.owner == owner { $0.pages[room] = nil } }
  }

  /// Tells a screen what is true now, also if uploads and a loop do so at the same time.
  private func tell(_ place: Place) {
    var told: Int?
    while true {
      let (files, relay, changes) = state.withLock { ($0.shown(at: place), $0.relays[place], $0.changes) }
      guard let relay, changes != told else { return }
      relay.accept(files)
      told = changes
    }
  }
}
