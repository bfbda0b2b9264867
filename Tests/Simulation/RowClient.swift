// SPDX-License-Identifier: Apache-2.0
import MusubiClient
import MusubiWire

/// A row as a page shows it.
struct ShownRow: Codable, Equatable {
  let id: Int
  let life: Int
  let title: String
  let field: String
}

/// The values and waiting inputs of a page with a list, after something has happened to it.
struct RowReport: Codable {
  /// The rows; none before the first state.
  var rows: [ShownRow] = []
  /// Texts of rows that have just gone, with the last typing.
  var left: [String] = []
  /// Whether the page is live and nothing waits.
  var isSettled = false
  /// Whether the next connection resumes.
  var hasSession = false
  /// Frames to be sent.
  var send: [String] = []
  /// What went wrong.
  var problem: String?
}

/// A page with a list, without network: a client's protocol machine.
protocol RowClient: AnyObject {
  /// A connection is open.
  func open() throws -> RowReport
  /// A frame has come.
  func receive(_ frame: [UInt8]) throws -> RowReport
  /// The connection has gone.
  func lost() throws -> RowReport
  /// The person replaces a range of a row's text.
  func write(_ text: String, over range: Range<Int>, row: Int) throws -> RowReport
  /// The person presses a button, of a row if there is one.
  func tap(_ input: String, row: Int?) throws -> RowReport
  /// The page is loaded again.
  func reload() throws -> RowReport
}

/// A page of the Swift client.
final class SwiftRowPage: RowClient {
  private var session = ClientSession()
  private var leftBefore = 0
  /// Whether the connection was told which rows of a long list the page looks at.
  private var hasAsked = false

  func open() throws -> RowReport {
    session.connectionOpened()
    hasAsked = false
    return report()
  }

  func receive(_ frame: [UInt8]) throws -> RowReport {
    var problem: String?
    for notice in try session.receive(frame) {
      if case .error(let code, let message, _) = notice, code != "unknown-row" { problem = message }
    }
    if session.phase == .live, !hasAsked, session.state["rows"]?["count"] != nil {
      hasAsked = true
      session.set("rows", to: ["first": 0, "count": 100, "patches": true])
    }
    return report(problem)
  }

  func lost() throws -> RowReport {
    session.connectionLost()
    return report()
  }

  func write(_ text: String, over range: Range<Int>, row: Int) throws -> RowReport {
    session.select(range, in: "title", row: ["\(row)"])
    try session.type(text, into: "title", row: ["\(row)"])
    return report()
  }

  func tap(_ input: String, row: Int?) throws -> RowReport {
    if let row { session.tap(input, row: ["\(row)"]) } else { session.tap(input) }
    return report()
  }

  func reload() throws -> RowReport {
    session.forgetState()
    return report()
  }

  private func report(_ problem: String? = nil) -> RowReport {
    let list = session.state["rows"]
    let rows = (list?.arrayValue ?? list?["rows"]?.arrayValue ?? []).map { row in
      // Those of models are strings.
      let id = row["id"].flatMap { $0.intValue ?? $0.stringValue.flatMap(Int.init) } ?? 0
      return ShownRow(
        id: id, life: row["life"]?.intValue ?? 0, title: row["title"]?.stringValue ?? "",
        field: session.text(of: "title", row: ["\(id)"]) ?? "")
    }
    let left = session.orphanedTexts.dropFirst(leftBefore).map(\.text)
    leftBefore = session.orphanedTexts.count
    return RowReport(
      rows: rows, left: left, isSettled: session.unconfirmed.isEmpty && session.phase == .live,
      hasSession: session.identifier != nil,
      send: session.takeFrames().map { String(decoding: $0, as: UTF8.self) }, problem: problem)
  }
}

/// A page of the browser client.
final class NodeRowPage: RowClient {
  private let node: NodePages
  private let number: Int

  /// A fresh page.
  init(_ node: NodePages, number: Int) throws {
    self.node = node
    self.number = number
    _ = try ask("begin")
  }

  func open() throws -> RowReport { try ask("open") }
  func lost() throws -> RowReport { try ask("lost") }
  func reload() throws -> RowReport { try ask("reload") }

  func receive(_ frame: [UInt8]) throws -> RowReport {
    try ask("receive", [("frame", .string(String(decoding: frame, as: UTF8.self)))])
  }

  func write(_ text: String, over range: Range<Int>, row: Int) throws -> RowReport {
    try ask(
      "write",
      [
        ("row", .integer(Int64(row))), ("position", .integer(Int64(range.lowerBound))),
        ("deleted", .integer(Int64(range.count))), ("inserted", .string(text)),
      ])
  }

  func tap(_ input: String, row: Int?) throws -> RowReport {
    try ask("tap", [("name", .string(input))] + (row.map { [("row", .string("\($0)"))] } ?? []))
  }

  private func ask(_ verb: String, _ details: [(String, Value)] = []) throws -> RowReport {
    try node.ask(verb, page: number, details)
  }
}
