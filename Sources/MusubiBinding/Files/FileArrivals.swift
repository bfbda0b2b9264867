// SPDX-License-Identifier: Apache-2.0
package import MusubiRx
import Synchronization

/// Brings the files that are on their way to the screens that ask for them; all loops of a server share it.
///
/// ```
/// the uploads                               a screen's loop
///   note, end ──▶ FileArrivals ──▶ SharedRelay ──▶ arrivingFiles(for:)
/// ```
package final class FileArrivals: Sendable {
  /// A control of a room.
  package struct Place: Hashable, Codable, Sendable {
    /// The screen's name.
    package let screen: String
    /// The name of the shared room, or of the session's own one.
    package let room: String
    /// The control's name.
    package let input: String

    /// A control.
    package init(screen: String, room: String, input: String) {
      (self.screen, self.room, self.input) = (screen, room, input)
    }
  }

  private struct State {
    var files: [Place: [ArrivingFile]] = [:]
    var relays = WeakRelays<Place, [ArrivingFile]>()
  }

  private let state = Mutex(State())

  /// Nothing is on its way.
  package init() {}

  /// The relay that tells the files of a control; may be called from any thread.
  package func follow(_ place: Place) -> SharedRelay<[ArrivingFile]> {
    state.withLock { state in
      if let relay = state.relays[place] { return relay }
      let relay = SharedRelay(value: state.files[place] ?? [])
      state.relays.keep(relay, for: place)
      return relay
    }
  }

  /// Some of a file has arrived; called by one caller at a time.
  package func note(_ file: ArrivingFile, at place: Place) {
    change(place) { files in
      if let index = files.firstIndex(where: { $0.id == file.id }) {
        files[index] = file
      } else {
        files.append(file)
      }
    }
  }

  /// A file is no longer on its way; called by one caller at a time.
  package func end(_ id: String, at place: Place) {
    change(place) { files in files.removeAll { $0.id == id } }
  }

  private func change(_ place: Place, _ body: (inout [ArrivingFile]) -> Void) {
    let (files, relay) = state.withLock { state -> ([ArrivingFile], SharedRelay<[ArrivingFile]>?) in
      var files = state.files[place] ?? []
      body(&files)
      state.files[place] = files.isEmpty ? nil : files
      return (files, state.relays[place])
    }
    relay?.accept(files)
  }
}
