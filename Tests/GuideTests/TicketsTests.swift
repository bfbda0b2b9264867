// SPDX-License-Identifier: Apache-2.0
import MusubiTesting
import Testing

@testable import GuideExamples

@Suite struct `Tickets` {
  @Test func `are found by a word, in each column`() throws {
    let screen = try TestScreen { TicketsViewModel(count: 30) }

    try screen.look(at: "tickets/todo", first: 0, count: 2, word: "ticket 2")
    #expect(screen["tickets/todo.count"] == "11")
    #expect(screen["tickets/todo.rows"]?.hasPrefix(#"[{"id":2,"title":"Ticket 2""#) == true)
    #expect(screen["tickets.count"] == "30")
  }

  @Test func `go to the column where somebody puts them`() throws {
    let screen = try TestScreen { TicketsViewModel(count: 3) }
    try screen.look(at: "tickets/done", first: 0, count: 10)

    try screen.drag("move", row: "1", list: "tickets/done")
    try screen.drag("move", row: "3", before: "1", list: "tickets/done")

    #expect(screen["tickets/done.count"] == "2")
    #expect(screen["tickets/done.rows"]?.hasPrefix(#"[{"id":3,"title":"Ticket 3""#) == true)
  }
}
