// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import MusubiSQLite

@Suite(.timeLimit(.minutes(5))) struct `A connection` {
  @Test(arguments: [
    SQLValue.null, .integer(.min), .integer(.max), .real(0.1), .real(-.infinity), .text(""), .text("結び\0目"),
    .blob([]), .blob([0, 255]),
  ])
  func `gives bound values back`(_ value: SQLValue) throws {
    let connection = try SQLiteConnection(.memory)

    let read = try connection.row("SELECT ?", value) { try $0.value(0, as: SQLValue.self) }

    #expect(read == value)
  }

  @Test func `gives back random texts, blobs and numbers`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let connection = try SQLiteConnection(.memory)

    for _ in 0..<200 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let text = String(decoding: bytes, as: UTF8.self)
      let number = Int64.random(in: .min ... .max, using: &random)

      let isSame = try connection.row("SELECT ?, ?, ?", bytes, text, number) { row in
        try row.value(0) == bytes && row.value(1) == text && row.value(2) == number
      }

      #expect(isSame == true, "seed \(seed)")
    }
  }

  @Test func `reads optionals as nil and refuses null elsewhere`() throws {
    let connection = try SQLiteConnection(.memory)

    let nothing = try connection.row("SELECT NULL") { try $0.value(0, as: Int?.self) }
    let error = sqliteError {
      _ = try connection.row("SELECT NULL AS age") { try $0.value(0, as: Int.self) }
    }

    #expect(nothing == .some(nil))
    #expect(error?.kind == .wrongType)
    #expect(error?.message == "Column age holds null, not Int")
  }

  @Test func `refuses a column that a row does not have`() throws {
    let connection = try SQLiteConnection(.memory)

    let error = sqliteError {
      _ = try connection.row("SELECT 1") { try $0.value(1, as: Int.self) }
    }

    #expect(error?.kind == .wrongType)
  }

  @Test(arguments: [
    "SELEKT 1", "", "SELECT 1; SELECT 2", "SELECT \"nocolumn\"", "SELECT ?, ?",
  ])
  func `refuses anything but one statement with its arguments`(_ sql: String) throws {
    let connection = try SQLiteConnection(.memory)

    let error = sqliteError { try connection.run(sql, 1) }

    #expect(error?.kind == .other)
    #expect(error?.sql == sql)
  }

  @Test func `names the failing statement, cut to 80 characters`() throws {
    let connection = try SQLiteConnection(.memory)
    let sql = "SELECT nocolumn" + String(repeating: " ", count: 100)

    let error = sqliteError { try connection.run(sql) }

    #expect(error?.description == "no such column: nocolumn (SQLite code 1), in: \(sql.prefix(79))…")
  }

  @Test func `keeps prepared statements, also for a query inside a query`() throws {
    let connection = try Pets.connection()
    for name in ["Tama", "Pochi"] { try Pets.add(name, to: connection) }

    let pairs = try connection.rows("SELECT name FROM pet") { row in
      try connection.rows("SELECT name FROM pet") { inner in
        try inner.value(0, as: String.self)
      }.count
    }

    #expect(pairs == [2, 2])
    #expect(connection.cachedStatementCount <= 64)
  }

  @Test func `keeps the most recently used statements only`() throws {
    var configuration = ConnectionConfiguration()
    configuration.cachedStatements = 3
    let connection = try SQLiteConnection(.memory, configuration: configuration)

    for number in 0..<20 { try connection.run("SELECT \(number)") }

    #expect(connection.cachedStatementCount == 3)
  }

  @Test func `tells a broken constraint and stays usable`() throws {
    let connection = try Pets.connection()
    try Pets.add("Tama", to: connection)

    let error = sqliteError { try Pets.add("Tama", to: connection) }
    try Pets.add("Pochi", to: connection)

    #expect(error?.kind == .constraint)
    #expect(error?.extendedCode == 2067)
    #expect(try Pets.names(connection) == ["Tama", "Pochi"])
  }

  @Test func `returns the row of an insert`() throws {
    let connection = try Pets.connection()

    let id = try connection.row("INSERT INTO pet (name) VALUES ('Tama') RETURNING rowid") {
      try $0.value(0, as: Int64.self)
    }

    #expect(id == connection.lastInsertedRowID)
    #expect(try Pets.names(connection) == ["Tama"])
  }

  @Test func `ends the program when a row is read after its query`() async {
    await #expect(processExitsWith: .failure) {
      let connection = try SQLiteConnection(.memory)
      let row = try connection.row("SELECT 1") { $0 }
      _ = try row?.value(0, as: Int.self)
    }
  }
}
