import Foundation
import MusubiTesting
import Testing

@testable import GuideExamples

@Suite(.timeLimit(.minutes(5))) final class `A ledger` {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "ledger-\(UUID())")
  private let ledger: Ledger

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    ledger = try Ledger(folder.appending(path: "ledger.sqlite").path)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  @Test func `reads the payments that a page looks at, wherever that is`() async throws {
    try await ledger.pay((1...20_000).map { "payment \($0)" })
    let screen = try TestScreen { LedgerModel(ledger: ledger) }

    try screen.look(at: "payments", first: 12_345, count: 2)
    #expect(
      screen["payments.rows"]
        == #"[{"id":12346,"text":"payment 12346"},{"id":12347,"text":"payment 12347"}]"#)

    // What goes above them moves nothing.
    try screen.tap("takeBack", row: "1")
    try screen.tap("takeBack", row: "7000")
    await screen.settle()
    #expect(screen["payments.first"] == "12343")
    #expect(screen["payments.rows"]?.hasPrefix(#"[{"id":12346,"#) == true)

    try screen.tap("takeBack", row: "12346")
    await screen.settle()
    #expect(screen["payments.count"] == "19997")
    #expect(screen["payments.rows"]?.hasPrefix(#"[{"id":12347,"#) == true)
    #expect(throws: (any Error).self) { try screen.tap("takeBack", row: "7000") }
  }

  @Test func `knows where each payment stands`() async throws {
    try await ledger.pay((1...1_600).map { "payment \($0)" })
    for id in [1, 500, 501, 900] { try await ledger.takeBack(id) }
    var found: [LedgerRows] = []
    let subscription = ledger.payments.subscribe(onNext: { found.append($0) })
    defer { subscription.dispose() }
    let rows = try #require(found.last)

    let all = try rows.rows(in: 0..<rows.count)
    #expect(all.map(\.id) == (1...1_600).filter { ![1, 500, 501, 900].contains($0) })
    #expect(try all.map { try rows.position(of: $0.id) } == Array(0..<1_596))
    #expect(try rows.position(of: 900) == nil)
    #expect(try rows.rows(in: 700..<760).map(\.id) == all[700..<760].map(\.id))
  }

  @Test func `reads few rows at a change, however many there are`() async throws {
    try await ledger.pay((1...20_000).map { "payment \($0)" })
    func steps() async throws -> Int {
      // What SQLite's virtual machine has done in the statements that the connection keeps.
      let steps = try await ledger.database.write { connection in
        try connection.row("SELECT sum(nstep) FROM sqlite_stmt") { row in try row.value(0, as: Int.self) }
      }
      return try #require(steps)
    }
    try await ledger.pay(["another"])
    try await ledger.takeBack(1)
    let before = try await steps()
    try await ledger.takeBack(7_000)
    try await ledger.pay(["one more"])
    let after = try await steps()
    #expect(after - before < 5_000)
  }

  @Test func `counts what another program writes, and takes back the last one and pays again`() async throws {
    try await ledger.pay((1...1_000).map { "payment \($0)" })
    try await ledger.database.write { connection in
      for id in 501...1_000 { try connection.run("DELETE FROM payment WHERE id = ?", id) }
    }
    try await ledger.takeBack(500)
    for text in ["a", "b", "c"] { try await ledger.pay([text]) }
    var found: [LedgerRows] = []
    let subscription = ledger.payments.subscribe(onNext: { found.append($0) })
    defer { subscription.dispose() }
    let rows = try #require(found.last)
    #expect(rows.count == 502)
    #expect(try rows.rows(in: 498..<502).map(\.text) == ["payment 499", "a", "b", "c"])
    #expect(try rows.position(of: 501) == 500)
  }
}
