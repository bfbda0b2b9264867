// SPDX-License-Identifier: Apache-2.0
package import GalleryAPI
package import MusubiBinding

/// Where all boards are.
package enum Boards: Sendable {
  case file(BoardAPI)
  case cluster(BoardArchive)

  /// The boards of a server.
  ///
  /// - Parameters:
  ///   - tables: The database of a cluster; nil for a file.
  ///   - folder: Where the file is; nil keeps the boards in memory.
  ///   - maxMebibytes: The most MiB that all boards take; nil for as many as the disk has.
  /// - Throws: `SQLiteError` if the boards' file cannot be opened.
  package init(_ tables: GalleryTables?, folder: String?, maxMebibytes: Int?) throws {
    self =
      if let tables {
        .cluster(BoardArchive(database: tables, maxMebibytes: maxMebibytes))
      } else {
        .file(try BoardAPI(folder: folder, maxMebibytes: maxMebibytes))
      }
  }

  /// The board of a room.
  ///
  /// - Throws: If the cards, or what was stored, cannot be read.
  package func board(_ context: ScreenContext) throws -> BoardViewModel {
    let state: BoardViewModel.State? = try context.restored()
    let cards: any KeptCards =
      switch self {
      case .file(let api): CardsInFile(api, context)
      case .cluster(let archive): CardsInRoom(archive, context, state?.board)
      }
    return try BoardViewModel(context, cards, state: state)
  }
}
