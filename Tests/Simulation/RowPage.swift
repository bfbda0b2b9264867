// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiClient
import MusubiSession
import MusubiTesting
import MusubiWire

/// A page on the simulated network, whose person types into rows.
final class RowPage: SimulatedPeer {
  /// A character that was typed, and the row that it was typed into.
  struct Keystroke {
    let number: Int
    let id: Int
    let life: Int
    /// How many snapshots the page had got.
    let snapshots: Int
  }

  let name: String
  private(set) var keystrokes: [Keystroke] = []
  private(set) var snapshots = 0
  private(set) var deleted: Set<Int> = []
  private(set) var failure: SimulationFailure?
  private(set) var link: SimulatedLink?
  var fault: Fault?
  private var faultState = FaultState()
  private var report = RowReport()
  /// Characters of which the page says that their row has gone.
  private(set) var orphans: Set<Int> = []
  /// The highest revision of each text in the present epoch.
  private var revisions: [String: Int] = [:]
  private var epoch = ""
  private var isOpen = false
  private let client: any RowClient
  private let network: SimulatedNetwork
  private let screen: String

  init(_ client: any RowClient, _ network: SimulatedNetwork, screen: String, name: String) {
    self.client = client
    self.network = network
    self.screen = screen
    self.name = name
  }

  func connect() {
    guard link == nil else { return }
    var query = ["edits": "1"]
    if report.hasSession { query["resume"] = "1" }
    link = network.connect(self, screen: screen, query: query)
  }

  /// Whether nothing waits.
  var isSettled: Bool { link != nil && report.isSettled }
  var rows: [ShownRow] { report.rows }

  // MARK: - The person

  /// Types characters somewhere into a row.
  func type(_ numbers: Range<Int>, row: Int, at thousandths: Int) {
    guard let shown = self.row(row) else { return }
    keystrokes += numbers.map { Keystroke(number: $0, id: shown.id, life: shown.life, snapshots: snapshots) }
    write(Typed.text(numbers), over: place(thousandths, in: shown.field), of: shown)
  }

  /// Deletes a character.
  func delete(row: Int, at thousandths: Int) {
    guard let shown = self.row(row) else { return }
    let start = place(thousandths, in: shown.field)
    let units = shown.field.utf16
    let index = units.index(units.startIndex, offsetBy: start.lowerBound)
    guard index < shown.field.endIndex else { return }
    let scalar = shown.field.unicodeScalars[index]
    if let number = Typed.number(scalar) { deleted.insert(number) }
    write("", over: start.lowerBound..<start.lowerBound + UTF16.width(scalar), of: shown)
  }

  func tap(_ input: String, row: Int) {
    guard let shown = self.row(row) else { return }
    perform { try $0.tap(input, row: shown.id) }
  }

  func tap(_ input: String) { if !rows.isEmpty { perform { try $0.tap(input, row: nil) } } }

  func reload() {
    link?.drop()
    link = nil
    isOpen = false
    perform { try $0.reload() }
    guard network.services.count > 1 else { return connect() }
    // Two handshakes of one moment would have no order between loops, and less between servers.
    let pause = Duration.milliseconds(network.nodes.count > 1 ? 10 : 1)
    network.schedule(network.now + pause) { [weak self] in self?.connect() }
  }

  private func row(_ number: Int) -> ShownRow? {
    let rows = rows
    return rows.isEmpty ? nil : rows[number % rows.count]
  }

  private func place(_ thousandths: Int, in text: String) -> Range<Int> {
    let scalars = text.unicodeScalars
    let place = scalars.prefix(scalars.count * thousandths / 1_000).reduce(0) { $0 + UTF16.width($1) }
    return place..<place
  }

  private func write(_ text: String, over range: Range<Int>, of row: ShownRow) {
    perform { try $0.write(text, over: range, row: row.id) }
  }

  // MARK: - The network

  func opened(_ link: SimulatedLink) {
    guard link === self.link else { return }
    isOpen = true
    perform { try $0.open() }
  }

  func received(_ payload: [UInt8], on link: SimulatedLink) {
    guard link === self.link, let payload = fault.map({ $0.toPage(payload) }) ?? payload else { return }
    if SimulatedPage.traces { print("\(network.now) \(name) < \(String(decoding: payload, as: UTF8.self))") }
    checkRevisions(payload)
    perform { try $0.receive(payload) }
  }

  func closed(_ link: SimulatedLink, code: UInt16?) {
    guard link === self.link else { return }
    self.link = nil
    isOpen = false
    if let code, code >= 4_500 { fail("the server closed the connection with \(code)") }
    perform { try $0.lost() }
    let pause = Duration.milliseconds(Int(network.random.next() % 2_000))
    network.schedule(network.now + pause) { [weak self] in self?.connect() }
  }

  private func perform(_ work: (any RowClient) throws -> RowReport) {
    guard failure == nil else { return }
    do {
      report = try work(client)
      orphans.formUnion(report.left.joined().unicodeScalars.compactMap(Typed.number))
      if let problem = report.problem { fail(problem) }
      for frame in report.send where isOpen {
        if SimulatedPage.traces { print("\(network.now) \(name) > \(frame)") }
        try send(Array(frame.utf8))
      }
    } catch {
      fail("\(error)")
    }
  }

  private func send(_ frame: [UInt8]) throws {
    guard let fault else {
      link?.send(frame)
      return
    }
    faultState.newestRevision = revisions.values.max() ?? 0
    if let frame = try fault.toServer(frame, &faultState) { link?.send(frame) }
  }

  /// No revision of a text comes twice in an epoch.
  private func checkRevisions(_ payload: [UInt8]) {
    do throws(WireError) {
      switch try ReceivedFrame(json: payload).content {
      case .snapshot(let snapshot):
        snapshots += 1
        if snapshot.epoch != epoch { revisions = [:] }
        epoch = snapshot.epoch
        for (key, revision) in snapshot.revisions { take(key, from: revision, to: revision) }
      case .turn(let turn):
        for change in turn.edits {
          take(change.name, from: change.revision - change.steps.count, to: change.revision)
        }
      default: break
      }
    } catch {
      fail("\(error)")
    }
  }

  private func take(_ key: String, from start: Int, to end: Int) {
    if let known = revisions[key], start < known { fail("\(key) has revision \(start) after \(known)") }
    revisions[key] = end
  }

  private func fail(_ message: String) {
    if failure == nil { failure = SimulationFailure("\(name): \(message)") }
  }
}
