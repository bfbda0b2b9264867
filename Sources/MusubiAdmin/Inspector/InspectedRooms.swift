// SPDX-License-Identifier: Apache-2.0
package import MusubiServer
package import MusubiSession
import Synchronization

/// What has happened in the rooms of a server of late, for the inspector.
///
/// Rooms write it as they write records, so what a rule leaves out of records is not here. Each room keeps its newest lines,
/// and what it showed before them. May be used on any loop.
package final class InspectedRooms: RecordFolder, Sendable {
  /// More than so many bytes of lines a room does not keep.
  static let maxBytesOfRoom = 256 << 10
  /// More than so many rooms are not kept: of those that have ended the oldest goes, and new ones are not followed.
  static let maxRooms = 64

  private struct State {
    var rooms: [Int: InspectedRoom] = [:]
    var last = 0
    var version = 0
  }

  /// What shows the pages as they were.
  let pages: ShownPages
  private let state = Mutex(State())

  /// No rooms yet.
  ///
  /// - Parameter pages: The routes of the application's pages, by screens.
  package init(pages: [String: PageRoute] = [:]) { self.pages = ShownPages(pages) }

  /// Grows with each change.
  var version: Int { state.withLock(\.version) }

  /// All rooms, those with the newest change first.
  var all: [InspectedRoom] {
    state.withLock { Array($0.rooms.values) }.sorted { ($1.changed, $1.id) < ($0.changed, $0.id) }
  }

  /// A room; nil if there is none of that id, or no longer.
  func room(_ id: Int) -> InspectedRoom? { state.withLock { $0.rooms[id] } }

  package func file(ofScreen screen: String) -> (any RecordFile)? {
    state.withLock { state in
      if state.rooms.count >= Self.maxRooms {
        let ended = state.rooms.values.filter(\.hasEnded).min { $0.changed < $1.changed }
        guard let ended else { return nil }
        state.rooms[ended.id] = nil
      }
      state.last += 1
      state.rooms[state.last] = InspectedRoom(id: state.last, screen: screen)
      return Lines(of: state.last, in: self)
    }
  }

  /// Takes lines of a room.
  ///
  /// - Returns: Whether more may come.
  private func take(_ lines: [UInt8], of id: Int) -> Bool {
    state.withLock { state in
      state.version += 1
      do {
        try state.rooms[id]?.take(lines, version: state.version)
        return true
      } catch {
        // What it shows is no longer known.
        state.rooms[id] = nil
        return false
      }
    }
  }

  private func end(_ id: Int) {
    state.withLock { state in
      state.version += 1
      state.rooms[id]?.hasEnded = true
    }
  }

  /// The lines of one room, which has ended when nobody holds this any more.
  private final class Lines: RecordFile {
    let limit = Int.max
    private let id: Int
    private let rooms: InspectedRooms

    init(of id: Int, in rooms: InspectedRooms) { (self.id, self.rooms) = (id, rooms) }

    deinit { rooms.end(id) }

    func write(_ lines: [UInt8]) -> Bool { rooms.take(lines, of: id) }
  }
}
