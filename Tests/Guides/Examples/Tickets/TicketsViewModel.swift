// SPDX-License-Identifier: Apache-2.0
import Musubi

/// Tickets in two columns, of which each page looks at its own part.
final class TicketsViewModel: InputOutputViewModel {
  struct Inputs: Decodable {
    var move: Signal<RowMove<Ticket.ID>> = .never()
  }

  struct Outputs: Encodable {
    let tickets: Driver<RowArray<Ticket>>
  }

  private let tickets: BehaviorRelay<[Ticket]>
  private let disposeBag = DisposeBag()

  init(count: Int) {
    tickets = BehaviorRelay(value: (1...count).map { Ticket(id: $0, title: "Ticket \($0)") })
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.move.emit(onNext: { [unowned self] move in apply(move) }).disposed(by: disposeBag)
    return Outputs(tickets: tickets.asDriver().map(Self.rows))
  }

  /// The tickets, of which a page looks at those of a column, found by a word.
  private static func rows(_ tickets: [Ticket]) -> RowArray<Ticket> {
    RowArray(tickets) { ticket, filter in
      filter.includes(part: ticket.column.rawValue) && filter.finds(ticket.$title)
    }
  }

  private func apply(_ move: RowMove<Ticket.ID>) {
    guard let column = Ticket.Column(rawValue: move.list) else { return }
    tickets.update { tickets in
      tickets[id: move.id]?.column = column
      tickets.apply(move)
    }
  }
}

extension Application {
  mutating func addTickets() {
    screen("tickets", scope: .room, page: "tickets.html") { _ in TicketsViewModel(count: 300) }
  }
}
