// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import MusubiSQLite

@Suite(.serialized, .timeLimit(.minutes(5))) struct `A file that another process reads, too` {
  /// A backup, or a look with the tool `sqlite3`: whoever closes a database last copies the log into it and
  /// deletes the log.
  @Test func `keeps its log, and with it what is committed later`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("pets")
    let writer = try Pets.connection(.file(path))
    var reading = ConnectionConfiguration()
    reading.isReader = true
    let reader = try SQLiteConnection(.file(path), configuration: reading)
    try Pets.add("Tama", to: writer)

    await #expect(processExitsWith: .success) { [path = path as String] in
      try #require(try Pets.names(SQLiteConnection(.file(path))) == ["Tama"])
    }

    #expect(FileManager.default.fileExists(atPath: path + "-wal"))
    try Pets.add("Mike", to: writer)
    #expect(try Pets.names(reader) == ["Tama", "Mike"])
    await #expect(processExitsWith: .success) { [path = path as String] in
      try #require(try Pets.names(SQLiteConnection(.file(path))) == ["Tama", "Mike"])
    }
  }

  @Test func `is for its user alone, also where a link stands for it`() throws {
    let folder = try TemporaryFolder()
    let (path, link) = (folder.path("pets"), folder.path("link"))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)

    let connection = try Pets.connection(.file(link))

    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    withExtendedLifetime(connection) {}
  }
}
