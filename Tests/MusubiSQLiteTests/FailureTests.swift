// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import MusubiSQLite

@Suite struct `A broken or busy file` {
  @Test func `is busy while another connection writes, and free afterwards`() throws {
    let folder = try TemporaryFolder()
    var impatient = ConnectionConfiguration()
    impatient.busyTimeout = .zero
    let holder = try Pets.connection(.file(folder.path("pets")))
    let other = try Pets.connection(.file(folder.path("pets")), configuration: impatient)

    let (error, names) = try holder.transaction {
      let error = sqliteError { try other.transaction { try Pets.add("Pochi", to: other) } }
      return (error, try Pets.names(other))
    }
    try Pets.add("Tama", to: other)

    #expect(error?.kind == .busy)
    #expect(error?.sql == "BEGIN IMMEDIATE")
    #expect(names.isEmpty)
    #expect(try Pets.names(other) == ["Tama"])
  }

  @Test func `that is full keeps its rows and takes more once it has room`() throws {
    let folder = try TemporaryFolder()
    var small = ConnectionConfiguration()
    small.maxPages = 8
    let connection = try Pets.connection(.file(folder.path("pets")), configuration: small)
    try Pets.add("Tama", to: connection)

    let error = sqliteError {
      try connection.run("INSERT INTO pet VALUES ('Pochi', ?)", [UInt8](repeating: 1, count: 50_000))
    }
    #expect(error?.kind == .full)
    #expect(try Pets.names(connection) == ["Tama"])

    try connection.run("PRAGMA max_page_count = 1000")
    try connection.run("INSERT INTO pet VALUES ('Pochi', ?)", [UInt8](repeating: 1, count: 50_000))
    #expect(try Pets.names(connection) == ["Tama", "Pochi"])
  }

  @Test func `that is no database is refused and left as it is`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("pets")
    let text = Data("This is a letter, not a database. ".utf8) + Data(count: 4096)
    try text.write(to: URL(filePath: path))

    let error = sqliteError { _ = try SQLiteConnection(.file(path)) }

    #expect(error?.kind == .corrupt)
    #expect(try Data(contentsOf: URL(filePath: path)) == text)
  }

  @Test func `with a destroyed page is told apart as corrupt`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("pets")
    try Pets.connection(.file(path)).transaction {}
    var bytes = try Data(contentsOf: URL(filePath: path))
    // All pages but the first, which holds the header and the schema.
    for index in 4096..<bytes.count { bytes[index] = 0xA5 }
    try bytes.write(to: URL(filePath: path))

    let error = sqliteError { _ = try Pets.names(SQLiteConnection(.file(path))) }

    #expect(error?.kind == .corrupt)
  }

  @Test func `in a missing folder cannot be opened`() throws {
    let folder = try TemporaryFolder()

    let error = sqliteError { _ = try SQLiteConnection(.file(folder.path("nowhere/pets"))) }

    #expect(error?.kind == .cannotOpen)
  }

  @Test(arguments: ["data", "new/data", "new/data/"]) func `of a data folder makes it, for its user alone`(
    name: String
  ) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("") + "/" + name
    for _ in 1...2 { _ = try Pets.connection(.file("pets", in: path)) }

    #expect(FileManager.default.fileExists(atPath: path + "/pets"))
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
    #expect(try SQLiteConnection.Location.file("pets", in: nil) == .memory)

    let error = sqliteError { _ = try SQLiteConnection.Location.file("pets", in: path + "/pets/under") }
    #expect(error?.kind == .cannotOpen)
  }
}
