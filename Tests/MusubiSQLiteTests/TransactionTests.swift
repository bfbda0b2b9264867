// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import MusubiSQLite

@Suite struct `A transaction` {
  @Test func `keeps nothing of a body that throws`() throws {
    let connection = try Pets.connection()

    #expect(throws: Pets.Refused.self) {
      try connection.transaction {
        try Pets.add("Tama", to: connection)
        throw Pets.Refused()
      }
    }

    #expect(try Pets.names(connection).isEmpty)
    #expect(!connection.isInTransaction)
  }

  @Test func `loses only its inner part when that throws`() throws {
    let connection = try Pets.connection()

    try connection.transaction {
      try Pets.add("Tama", to: connection)
      #expect(throws: Pets.Refused.self) {
        try connection.transaction {
          try Pets.add("Pochi", to: connection)
          throw Pets.Refused()
        }
      }
      try connection.transaction { try Pets.add("Kuro", to: connection) }
    }

    #expect(try Pets.names(connection) == ["Tama", "Kuro"])
  }

  @Test func `of a key happens once, and again if it has failed`() throws {
    let folder = try TemporaryFolder()
    let connection = try Pets.connection(.file(folder.path("pets")))
    func add(_ name: String, once key: String) throws -> String? {
      try connection.transaction(once: key) {
        try Pets.add(name, to: connection)
        return name
      }
    }

    #expect(try add("Tama", once: "1") == "Tama")
    #expect(try add("Pochi", once: "1") == nil)
    #expect(sqliteError { _ = try add("Tama", once: "2") }?.kind == .constraint)
    #expect(try add("Kuro", once: "2") == "Kuro")
    let later = try Pets.connection(.file(folder.path("pets")))
    #expect(try later.transaction(once: "2") { true } == nil)

    #expect(try Pets.names(connection) == ["Tama", "Kuro"])
  }

  @Test func `of a key remembers the last ones`() throws {
    let connection = try Pets.connection()
    for key in 1...5 { try connection.transaction(once: "\(key)", remembering: 3) {} }

    #expect(try connection.transaction(once: "3", remembering: 3) { true } == nil)
    #expect(try connection.transaction(once: "2", remembering: 3) { true } == true)
  }

  @Test func `that SQLite gave up lets no later statement stand alone`() throws {
    let connection = try Pets.connection()

    let error = sqliteError {
      try connection.transaction {
        try Pets.add("Tama", to: connection)
        _ = sqliteError { try connection.run("INSERT OR ROLLBACK INTO pet (name) VALUES ('Tama')") }
        try Pets.add("Pochi", to: connection)
      }
    }

    #expect(error?.message == "SQLite has rolled back the transaction after an earlier error")
    #expect(try Pets.names(connection).isEmpty)
  }

  @Test func `of reads sees one state while another connection writes`() throws {
    let folder = try TemporaryFolder()
    let reader = try Pets.connection(.file(folder.path("pets")))
    let writer = try Pets.connection(.file(folder.path("pets")))

    let names = try reader.snapshot {
      let before = try Pets.names(reader)
      try Pets.add("Tama", to: writer)
      return before + (try Pets.names(reader))
    }

    #expect(names.isEmpty)
    #expect(try Pets.names(reader) == ["Tama"])
  }
}
