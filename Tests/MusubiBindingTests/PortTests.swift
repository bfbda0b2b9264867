// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiTesting
import Ported
import Synchronization
import Testing

private struct Offline: LocalizedError {
  var errorDescription: String? { "You are offline." }
}

/// Answers when the test wants.
private actor StubService: ExpenseService {
  private var answers: [Result<[ExpenseRecord], Offline>]
  private(set) var saved: [ExpenseRecord] = []
  private var canSave = true

  init(_ answers: [Result<[ExpenseRecord], Offline>]) { self.answers = answers }

  func expenses() async throws -> [ExpenseRecord] { try answers.removeFirst().get() }

  func save(_ record: ExpenseRecord) async throws {
    guard canSave else { throw Offline() }
    saved.append(record)
  }

  func fail() { canSave = false }
}

@Suite(.timeLimit(.minutes(5))) struct `A model of an iOS app, with nothing but bindings added` {
  private static let trainRecord = ExpenseRecord(id: UUID(), title: "Train", cents: 40_00)
  private static let hotelRecord = ExpenseRecord(id: UUID(), title: "Hotel", cents: 55_50, isPaid: true)
  private let train = Self.trainRecord.id.description
  private let hotel = Self.hotelRecord.id.description

  private func screen(
    _ answers: [Result<[ExpenseRecord], Offline>] = [.success([Self.trainRecord, Self.hotelRecord])]
  ) async throws -> (screen: TestScreen, service: StubService) {
    let service = StubService(answers)
    let screen = try TestScreen { ExpensesModel(service: service) }
    #expect(screen["isLoading"] == "true")
    await screen.settle()
    return (screen, service)
  }

  @Test func `loads when its page opens, tells what failed, and loads again`() async throws {
    let (screen, _) = try await screen([.failure(Offline()), .success([Self.trainRecord])])
    #expect(screen["isLoading"] == "false")
    #expect(screen["problem"] == "You are offline.")
    #expect(screen["expenses"] == "[]")

    try screen.tap("reload")
    #expect(screen["isLoading"] == "true" && screen["problem"] == "")
    await screen.settle()
    #expect(screen["summary"] == "1 of 1, 40.00")
  }

  @Test func `filters by an enum and by typed text, which it cuts`() async throws {
    let (screen, _) = try await screen()
    try screen.send("unpaid", to: "filter")
    #expect(screen["summary"] == "1 of 2, 40.00")
    try screen.send("all", to: "filter")
    try screen.type("HOT", into: "query")
    #expect(screen["summary"] == "1 of 2, 55.50")
    #expect(throws: (any Error).self) { try screen.send("some", to: "filter") }

    try screen.type(String(repeating: "x", count: 30), into: "query")
    #expect(screen["query"] == String(repeating: "x", count: 20))
    #expect(screen["expenses"] == "[]")
  }

  @Test func `takes typing into rows, by properties that are stored, computed and observed`() async throws {
    let (screen, _) = try await screen()
    try screen.type("Night train", into: "title", row: train)
    try screen.type("12.5", into: "amount", row: train)
    #expect(screen["summary"] == "2 of 2, 95.50", "What is no amount changes nothing.")
    try screen.type("12.50", into: "amount", row: train)
    try screen.send(true, to: "isPaid", row: train)
    try screen.send("window seat", to: "note", row: train)

    #expect(
      screen["expenses"]?.hasPrefix(
        #"[{"id":"\#(train)","title":"Night train","amount":"12.50","isPaid":true,"payments":1,"#
          + #""notes":[{"id":"1","text":"window seat"}]},"#) == true)
    #expect(screen["summary"] == "2 of 2, 68.00")
  }

  @Test func `adds what was typed into a struct, once that is saved`() async throws {
    let (screen, service) = try await screen()
    #expect(screen["cannotAdd"] == "true")
    try screen.type("Dinner", into: "newTitle")
    try screen.type("23.00", into: "newAmount")
    #expect(screen["cannotAdd"] == "false")

    try screen.tap("add")
    #expect(screen["adding"] == "true" && screen["newTitle"] == "Dinner")
    await screen.settle()

    #expect(await service.saved.map(\.cents) == [23_00])
    #expect(screen["newTitle"] == "" && screen["cannotAdd"] == "true")
    #expect(screen["summary"] == "3 of 3, 118.50")
    #expect(try screen.dialog == .init(name: "overBudget"))

    await service.fail()
    try screen.type("Taxi", into: "newTitle")
    try screen.type("9", into: "newAmount")
    try screen.tap("add")
    await screen.settle()
    #expect(screen["addProblem"]?.contains("Offline") == true)
    #expect(screen["newTitle"] == "Taxi")
  }

  @Test func `opens a row as a screen of its own, and asks before it deletes one`() async throws {
    let (screen, _) = try await screen()
    try screen.tap("open", row: hotel)
    let detail = try #require(try screen.opened)
    try detail.type("Hostel", into: "title")
    #expect(detail["amount"] == "55.50")
    try detail.send("window seat", to: "note")
    try detail.type("aisle seat", into: "text", row: "1")
    #expect(detail["notes"] == #"[{"id":"1","text":"aisle seat"}]"#)
    #expect(screen["expenses"]?.contains("Hostel") == true)

    try screen.tap("delete", row: hotel)
    #expect(
      try screen.dialog == .init(name: "askDelete", value: #"{"id":"\#(hotel)","title":"Hostel"}"#))
    #expect(screen["summary"] == "2 of 2, 95.50")
    try screen.tap("confirmDelete", row: hotel)
    #expect(screen["summary"] == "1 of 1, 40.00")
  }
}
