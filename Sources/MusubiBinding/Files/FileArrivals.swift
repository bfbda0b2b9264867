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
  /// So many files of a control are listed; others come when these have gone.
  private static let most = 32
  /// So many of them are one visitor's; those without a name share all.
  private static let mostOfOne = 8

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

  /// Who may send what to a room.
  private struct Senders {
    let owner: ObjectIdentifier
    private var pages: [Int: (visitor: String?, inputs: [String])] = [:]
    /// How many pages of each visitor may send to a control.
    private var counts: [String: [String?: Int]] = [:]

    init(owner: ObjectIdentifier) { self.owner = owner }

    mutating func set(_ inputs: [String], of visitor: String?, page: Int) {
      for input in pages[page]?.inputs ?? [] { count(-1, pages[page]?.visitor, input) }
      for input in inputs { count(1, visitor, input) }
      pages[page] = inputs.isEmpty ? nil : (visitor, inputs)
    }

    private mutating func count(_ change: Int, _ visitor: String?, _ input: String) {
      let count = (counts[input]?[visitor] ?? 0) + change
      counts[input, default: [:]][visitor] = count == 0 ? nil : count
    }

    func has(_ visitor: String?, at input: String) -> Bool { counts[input]?[visitor] != nil }
  }

  private struct State {
    var files: [Place: [Listed]] = [:]
    var relays = WeakRelays<Place, [ArrivingFile]>()
    var senders: [Room: Senders] = [:]

    func shown(at place: Place) -> [ArrivingFile] { files[place]?.map(\.file) ?? [] }
  }

  private let state = Mutex(State())

  /// Nothing is on its way.
  package init() {}

  /// The relay that tells the files of a control; may be called from any thread.
  package func follow(_ place: Place) -> SharedRelay<[ArrivingFile]> {
    state.withLock { state in
      if let relay = state.relays[place] { return relay }
      let relay = SharedRelay(value: state.shown(at: place), isPerServer: true)
      state.relays.keep(relay, for: place)
      return relay
    }
  }

  // MARK: - What arrives

  /// Some of a file has arrived; it is listed if its sender may send it, and a screen has asked.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - sender: The id of the visitor who sends it.
  ///   - place: Where it goes.
  package func note(_ file: ArrivingFile, from sender: String?, at place: Place) {
    state.withLock { state in
      var files = state.files.removeValue(forKey: place) ?? []
      if let index = files.firstIndex(where: { $0.file.id == file.id }) {
        files[index].file = file
      } else if state.relays[place] != nil, state.senders[place.room]?.has(sender, at: place.input) == true,
        files.count < Self.most, sender == nil || files.count(where: { $0.sender == sender }) < Self.mostOfOne
      {
        files.append(Listed(file: file, sender: sender))
      }
      state.files[place] = files.isEmpty ? nil : files
    }
    tell(place)
  }

  /// A file is no longer on its way.
  package func end(_ id: String, at place: Place) {
    state.withLock { state in
      state.files[place]?.removeAll { $0.file.id == id }
      if state.files[place]?.isEmpty == true { state.files[place] = nil }
    }
    tell(place)
  }

  // MARK: - Who may send

  /// A page of a room may send files to some controls from now on, and to no others: what it sends elsewhere is shown no longer.
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
      var senders = state.senders[room] ?? Senders(owner: owner)
      if senders.owner != owner { senders = Senders(owner: owner) }
      senders.set(inputs, of: visitor, page: page)
      state.senders[room] = senders
      let places = state.files.keys.filter { $0.room == room }
      for place in places {
        let files = state.files[place]?.filter { senders.has($0.sender, at: place.input) } ?? []
        state.files[place] = files.isEmpty ? nil : files
      }
      return places
    }
    for place in places { tell(place) }
  }

  /// A room has gone from memory.
  package func forget(_ room: Room, owner: ObjectIdentifier) {
    state.withLock { if $0.senders[room]?.owner == owner { $0.senders[room] = nil } }
  }

  /// Tells a screen what is true now, also if uploads and loops do so at the same time: who told last has looked again.
  private func tell(_ place: Place) {
    var told: [ArrivingFile]?
    while true {
      let (files, relay) = state.withLock { ($0.shown(at: place), $0.relays[place]) }
      guard let relay, files != told else { return }
      relay.accept(files)
      told = files
    }
  }
}
