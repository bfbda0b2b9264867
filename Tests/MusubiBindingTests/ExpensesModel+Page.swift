// SPDX-License-Identifier: Apache-2.0
import Foundation
package import MusubiBinding
package import Ported

/// What the page's dialog shows of an expense.
struct DeletionQuestion: Encodable {
  let id: UUID
  let title: String
}

extension ExpensesModel: ObservableViewModel {
  package static var bindings: [PageBinding<ExpensesModel>] {
    [
      .output("isLoading", \.isLoading), .output("problem", \.problem), .output("summary", \.summary),
      .output("cannotAdd", \.cannotAdd), .field("filter", \.filter), .field("query", \.query),
      .field("newTitle", \.draft.title), .field("newAmount", \.draft.amount), .rows("expenses", \.visible),
      .action("viewDidLoad") { await $0.load() }, .action("reload") { await $0.load() },
      .action("add", running: "adding", failure: "addProblem") { try await $0.add() },
      .action("open") { (model, id: UUID) in model.selection = model.expense(id) },
      .action("delete") { (model, id: UUID) in model.deletion = model.expense(id) },
      .action("confirmDelete") { (model, id: UUID) in
        if let expense = model.expense(id) { model.delete(expense) }
      },
      .destination("detail", \.selection),
      .dialog("askDelete", \.deletion) { DeletionQuestion(id: $0.id, title: $0.title) },
      .dialog("overBudget", isPresented: \.isOverBudget),
    ]
  }

  private var isLoading: Bool { phase == .loading }
  private var cannotAdd: Bool { !draft.isValid }

  private var problem: String {
    if case .failed(let message) = phase { message } else { "" }
  }

  private func expense(_ id: UUID) -> Expense? { expenses.first { $0.id == id } }
}

extension Expense: ObservableViewModel {
  package static var bindings: [PageBinding<Expense>] {
    [
      .field("title", \.title), .field("amount", \.amount), .field("isPaid", \.isPaid),
      .output("payments", \.payments), .rows("notes", \.notes),
      .action("note") { (expense, text: String) in expense.addNote(text) },
    ]
  }
}

extension Note: ObservableViewModel {
  package static var bindings: [PageBinding<Note>] { [.field("text", \.text)] }
}
