// SPDX-License-Identifier: Apache-2.0
import MusubiRx

/// Something to be mended.
struct Ticket: Codable, Identifiable {
  enum Column: String, Codable { case todo, done }

  let id: Int
  @SearchText var title: String
  var column = Column.todo
}
