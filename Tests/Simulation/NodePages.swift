// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiWire

/// A `node` that runs pages of the browser client; one line of JSON each way for every step.
package final class NodePages {
  private let process = Process()
  private let toNode = Pipe()
  private let fromNode = Pipe()
  private var unread = Data()
  private let decoder = JSONDecoder()

  /// Starts `node`.
  ///
  /// - Parameters:
  ///   - script: The path of `pages.mjs` or `row-pages.mjs`.
  ///   - client: The folder of the client's modules; a test may have planted a bug there.
  /// - Throws: If `node` cannot be started.
  package init(script: String, client: String) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["node", script, client]
    process.standardInput = toNode
    process.standardOutput = fromNode
    try process.run()
  }

  deinit {
    toNode.fileHandleForWriting.closeFile()
    process.waitUntilExit()
  }

  /// Has something happen to a page and waits for its report.
  func ask<Report: Decodable>(_ verb: String, page: Int, _ details: [(String, Value)]) throws -> Report {
    var request = Value.Object()
    for (name, value) in details { request[name] = value }
    request["page"] = .integer(Int64(page))
    request["do"] = .string(verb)
    return try ask(.object(request))
  }

  private func ask<Report: Decodable>(_ request: Value) throws -> Report {
    var line = Array(request.description.utf8)
    line.append(UInt8(ascii: "\n"))
    try toNode.fileHandleForWriting.write(contentsOf: line)
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let report = try decoder.decode(Report.self, from: unread[unread.startIndex..<end])
        unread.removeSubrange(unread.startIndex...end)
        return report
      }
      let more = fromNode.fileHandleForReading.availableData
      guard !more.isEmpty else { throw SimulationFailure("node has ended; its message is on standard error") }
      unread.append(more)
    }
  }
}

/// A page of the browser client.
final class NodePage: PageClient {
  private let node: NodePages
  private let number: Int
  private var hasSession = false

  /// A fresh page.
  init(_ node: NodePages, number: Int) throws {
    self.node = node
    self.number = number
    _ = try ask("begin")
  }

  var resumes: Bool { hasSession }
  func open() throws -> PageReport { try ask("open") }
  func lost() throws -> PageReport { try ask("lost") }
  func tap() throws -> PageReport { try ask("tap") }
  func flush() throws -> PageReport { try ask("flush") }
  func reload() throws -> PageReport { try ask("reload") }

  func receive(_ frame: [UInt8]) throws -> PageReport {
    try ask("receive", [("frame", .string(String(decoding: frame, as: UTF8.self)))])
  }

  func edit(_ position: Int, _ deleted: Int, _ inserted: String, isHeld: Bool) throws -> PageReport {
    try ask(
      "edit",
      [
        ("position", .integer(Int64(position))), ("deleted", .integer(Int64(deleted))),
        ("inserted", .string(inserted)), ("held", .bool(isHeld)),
      ])
  }

  func move(_ position: Int) throws -> PageReport {
    try ask("move", [("position", .integer(Int64(position)))])
  }

  private func ask(_ verb: String, _ details: [(String, Value)] = []) throws -> PageReport {
    let report: PageReport = try node.ask(verb, page: number, details)
    hasSession = report.session != nil
    return report
  }
}

/// Why a run is not as it should be.
package struct SimulationFailure: Error, CustomStringConvertible {
  /// The observation, in a sentence.
  package let description: String

  init(_ description: String) { self.description = description }
}
