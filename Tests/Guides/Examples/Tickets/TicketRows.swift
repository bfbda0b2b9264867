// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiRx

/// Something to be mended.
struct Ticket: Codable, Identifiable {
  enum Column: String, Codable { case todo, done }

  let id: Int
  let title: String
  var column = Column.todo
}

/// The tickets that a page looks at: those of a column, found by a word.
struct TicketRows: WindowedRows {
  let all: [Ticket]

  var count: Int { all.count }

  func rows(in range: Range<Int>) -> [Ticket] { Array(all[range]) }

  func position(of id: Ticket.ID) -> Int? { all.firstIndex { $0.id == id } }

  func filtered(by filter: RowsFilter) -> TicketRows {
    TicketRows(
      all: all.filter { ticket in
        (filter.part.isEmpty || ticket.column.rawValue == filter.part)
          && (filter.word.isEmpty || ticket.title.localizedStandardContains(filter.word))
      })
  }
}
