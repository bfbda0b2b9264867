// SPDX-License-Identifier: Apache-2.0
// A model as an iOS app has it, in a target without dependencies: nothing in this file is there for Musubi.
import Foundation
import Observation

/// Where expenses are kept.
package protocol ExpenseService: Sendable {
  func expenses() async throws -> [ExpenseRecord]
  func save(_ record: ExpenseRecord) async throws
}

/// An expense as the service knows it.
package struct ExpenseRecord: Codable, Equatable, Sendable {
  package let id: UUID
  package var title: String
  package var cents: Int
  package var isPaid: Bool

  package init(id: UUID, title: String, cents: Int, isPaid: Bool = false) {
    self.id = id
    self.title = title
    self.cents = cents
    self.isPaid = isPaid
  }
}

/// What was spent on a journey.
@Observable
package final class ExpensesModel {
  package enum Phase: Equatable {
    case idle
    case loading
    case loaded(at: Int)
    case failed(message: String)
  }

  package enum Filter: String, CaseIterable, Codable {
    case all
    case unpaid
  }

  /// What is typed into the fields of a new expense.
  package struct Draft: Equatable {
    package var title = ""
    package var amount = ""

    package var cents: Int? { Expense.cents(in: amount) }
    package var isValid: Bool { !title.isEmpty && cents != nil }
  }

  package private(set) var phase = Phase.idle
  package private(set) var expenses: [Expense] = []
  package var filter = Filter.all
  package var query = "" {
    didSet {
      if query.count > 20 { query = String(query.prefix(20)) }
    }
  }
  package var draft = Draft()

  /// For `navigationDestination(item:)`.
  package var selection: Expense?
  /// For `confirmationDialog(_:presenting:)`.
  package var deletion: Expense?
  /// For `alert(_:isPresented:)`.
  package var isOverBudget = false

  @ObservationIgnored package let budget: Int
  @ObservationIgnored private let service: any ExpenseService
  @ObservationIgnored private var loads = 0

  package init(service: any ExpenseService, budget: Int = 100_00) {
    self.service = service
    self.budget = budget
  }

  /// What the list shows.
  package var visible: [Expense] {
    expenses.filter { expense in
      (filter == .all || !expense.isPaid)
        && (query.isEmpty || expense.title.localizedCaseInsensitiveContains(query))
    }
  }

  package var total: Int { visible.reduce(0) { $0 + $1.cents } }
  package var summary: String { "\(visible.count) of \(expenses.count), \(Expense.amount(of: total))" }

  package func load() async {
    phase = .loading
    do {
      let records = try await service.expenses()
      loads += 1
      expenses = records.map(Expense.init)
      phase = .loaded(at: loads)
    } catch is CancellationError {
      phase = .idle
    } catch {
      phase = .failed(message: error.localizedDescription)
    }
  }

  package func add() async throws {
    guard let cents = draft.cents, draft.isValid else { return }
    let record = ExpenseRecord(id: UUID(), title: draft.title, cents: cents)
    try await service.save(record)
    expenses.insert(Expense(record), at: 0)
    draft = Draft()
    isOverBudget = total > budget
  }

  package func delete(_ expense: Expense) { expenses.removeAll { $0 === expense } }
}

/// A row of the list, and a screen of its own.
@Observable
package final class Expense: Identifiable {
  package let id: UUID
  package var title: String
  package private(set) var cents: Int
  package var isPaid: Bool {
    didSet { if isPaid, !oldValue { payments += 1 } }
  }
  package private(set) var payments = 0
  package private(set) var notes: [Note] = []

  package init(_ record: ExpenseRecord) {
    id = record.id
    title = record.title
    cents = record.cents
    isPaid = record.isPaid
  }

  /// The amount as a person types it.
  package var amount: String {
    get { Self.amount(of: cents) }
    set { cents = Self.cents(in: newValue) ?? cents }
  }

  package func addNote(_ text: String) { notes.append(Note(id: notes.count + 1, text: text)) }

  package static func amount(of cents: Int) -> String {
    let rest = cents % 100
    return "\(cents / 100).\(rest < 10 ? "0" : "")\(rest)"
  }

  package static func cents(in amount: String) -> Int? {
    let parts = amount.split(separator: ".", maxSplits: 1)
    guard let whole = parts.first.flatMap({ Int($0) }) else { return nil }
    guard parts.count == 2 else { return whole * 100 }
    return parts[1].count == 2 ? Int(parts[1]).map { whole * 100 + $0 } : nil
  }
}

/// Something to remember about an expense.
@Observable
package final class Note: Identifiable {
  package let id: Int
  package var text: String

  package init(id: Int, text: String) {
    self.id = id
    self.text = text
  }
}
