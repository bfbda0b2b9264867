// SPDX-License-Identifier: Apache-2.0
package import GalleryAPI
import MusubiBinding
import Synchronization

/// The codes by which people find a quiz, at all servers of a cluster.
package final class QuizCodes: Sendable {
  private let codes = RoomCodes()
  private let told = Mutex<[String: String]>([:])
  private let shared: SharedCodes?

  /// No codes.
  ///
  /// - Parameter tables: Where the other servers find them; nil if there are none.
  package init(_ tables: GalleryTables? = nil) { shared = tables.map { SharedCodes($0) } }

  /// The code of a room; see `RoomCodes`.
  func code(of room: String, wanted: String?) -> String {
    let code = codes.code(of: room, wanted: wanted)
    if told.withLock({ $0.updateValue(code, forKey: room) }) != code { shared?.add(code, of: room) }
    return code
  }

  /// Takes a room's code back.
  func remove(_ room: String) {
    // Before another room may get the code.
    if let code = told.withLock({ $0.removeValue(forKey: room) }) { shared?.remove(code) }
    codes.remove(room)
  }

  /// The room of a code; nil if no room has it.
  ///
  /// - Throws: The database's error.
  package func room(of code: String) async throws -> String? {
    if let room = codes.room(of: code) { return room }
    return try await shared?.room(of: code.filter { !$0.isWhitespace })
  }
}
