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
