// SPDX-License-Identifier: Apache-2.0
import Musubi

/// Tickets in two columns, of which each page looks at its own part.
final class TicketsViewModel: InputOutputViewModel {
  struct Inputs: Decodable {
    var move: Signal<RowMove<Ticket.ID>> = .never()
  }

  struct Outputs: Encodable {
    let tickets: Driver<TicketRows>
  }

  private let tickets: BehaviorRelay<[Ticket]>
  private let disposeBag = DisposeBag()

  init(count: Int) {
    tickets = BehaviorRelay(value: (1...count).map { Ticket(id: $0, title: "Ticket \($0)") })
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.move.emit(onNext: { [unowned self] move in apply(move) }).disposed(by: disposeBag)
    return Outputs(tickets: tickets.asDriver().map { TicketRows(all: $0) })
  }

  private func apply(_ move: RowMove<Ticket.ID>) {
    var all = tickets.value
    guard let from = all.firstIndex(where: { $0.id == move.id }), move.before != move.id,
      let column = Ticket.Column(rawValue: move.list)
    else { return }
    var ticket = all.remove(at: from)
    ticket.column = column
    if all.insert(ticket, by: move) { tickets.accept(all) }
  }
}

extension Application {
  mutating func addTickets() {
    screen("tickets", scope: .room, page: "tickets.html") { _ in TicketsViewModel(count: 300) }
  }
}
