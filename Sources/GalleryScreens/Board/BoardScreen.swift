// SPDX-License-Identifier: Apache-2.0
import GalleryAPI
import GalleryModel
import Musubi

/// The board screen (`Public/board.html`): cards in three columns, for everybody in the room.
enum BoardScreen {
  /// Adds the screen.
  ///
  /// - Parameters:
  ///   - application: What gets the screen; its configuration says where the data is.
  ///   - tables: The database of a cluster; nil for a file.
  ///   - dataLimit: The most MiB that all boards take; nil for as many as the disk has.
  /// - Throws: `SQLiteError` if the boards' file cannot be opened.
  static func add(to application: inout Application, _ tables: GalleryTables?, dataLimit: Int?) throws {
    let boards = try Boards(tables, folder: application.configuration.dataFolder, maxMebibytes: dataLimit)
    application.screen("board", scope: .room, page: "board.html") { try boards.board($0) }
  }
}
