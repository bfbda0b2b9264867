import Musubi
import Observation

/// The ledger on a page.
@Observation.Observable final class LedgerModel {
  var text = ""
  private(set) var payments: LedgerRows
  private let ledger: Ledger
  private let disposeBag = DisposeBag()

  init(ledger: Ledger) {
    self.ledger = ledger
    payments = LedgerRows(ledger: ledger, index: Ledger.Index())
    ledger.payments.subscribe(onNext: { [unowned self] in payments = $0 }).disposed(by: disposeBag)
  }

  func pay() async throws {
    let paid = text
    guard !paid.isEmpty else { return }
    try await ledger.pay([paid])
    if text == paid { text = "" }
  }
}

extension LedgerModel: ObservableViewModel {
  static var bindings: [PageBinding<LedgerModel>] {
    [
      .field("text", \.text),
      .windows("payments", \.payments),
      .action("pay") { model in try await model.pay() },
      .action("takeBack") { (model, id: Int) in try await model.ledger.takeBack(id) },
    ]
  }
}

extension Application {
  mutating func addLedger(_ ledger: Ledger) {
    screen("ledger", page: "ledger.html") { _ in LedgerModel(ledger: ledger) }
  }
}
