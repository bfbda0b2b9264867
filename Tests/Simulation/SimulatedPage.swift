// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiClient
import MusubiSession
import MusubiTesting
import MusubiWire

/// A page on the simulated network: it connects, comes back when the connection is lost, and keeps account.
final class SimulatedPage: SimulatedPeer {
  /// Prints all frames, to look at one schedule.
  nonisolated(unsafe) static var traces = false
  let name: String
  private(set) var report = PageReport()
  /// What must not have happened but has.
  private(set) var failure: SimulationFailure?
  /// Characters that were typed when the page was told to give up its text.
  private(set) var released: Set<Int> = []
  /// Characters that were given to new sessions after a kill, and of which nobody knows whether the old ones had taken
  /// them: how often.
  private(set) var handedOver: [Int: Int] = [:]
  /// The inputs on their way when a connection of this session was lost.
  private var underWay: Set<Int> = []
  /// Characters that went with the visitor who typed them: nobody hands them over.
  private(set) var left: Set<Int> = []
  /// Who it is; nobody says so at first.
  private var visitor: String?
  private var isSigningIn = false
  /// Knows who may have to give something up.
  private let log: HandOverLog
  /// Characters that were typed one after the other, without moving the caret.
  private(set) var runs: [[Int]] = [[]]
  private var typed: Set<Int> = []
  private var isNew = false
  /// Whether its session was gone when it came back, as one without an input is after 15 seconds.
  private(set) var hasBegunAnew = false
  private var isOpen = false
  private(set) var link: SimulatedLink?
  /// What goes wrong between this page and the server.
  var fault: Fault?
  /// The newest revision that any page has seen.
  var newestRevision: () -> Int = { 0 }
  private var faultState = FaultState()
  /// Whether it is connected, shows a text, and waits for nothing.
  var isSettled: Bool {
    link != nil && report.text != nil && report.waiting == 0 && report.pending.isEmpty
  }
  private let client: any PageClient
  private let network: SimulatedNetwork
  private let screen: String

  init(
    _ client: any PageClient, _ network: SimulatedNetwork, screen: String, name: String,
    log: HandOverLog = HandOverLog(limit: .max)
  ) {
    self.log = log
    self.client = client
    self.network = network
    self.screen = screen
    self.name = name
  }

  func connect() {
    guard link == nil else { return }
    var query = ["edits": "1"]
    if client.resumes { query["resume"] = "1" } else { log.noteNewcomer() }
    link = network.connect(
      self, screen: screen, query: query, headers: visitor.map { ["cookie": $0] } ?? [:])
  }

  /// Somebody signs in; the page learns of it when it comes back.
  func signIn(_ number: Int) {
    guard visitor != "visitor \(number)" else { return }
    // A visitor who was nobody takes typing along.
    if visitor != nil { isSigningIn = true }
    visitor = "visitor \(number)"
    link?.drop()
  }

  // MARK: - The person

  func type(_ numbers: Range<Int>, isHeld: Bool) {
    guard report.text != nil else { return }
    typed.formUnion(numbers)
    runs[runs.count - 1] += numbers
    perform { try $0.edit(report.caret, 0, Typed.text(numbers), isHeld: isHeld) }
  }

  /// Types a character over the one before the caret.
  ///
  /// - Returns: The character that went.
  func exchange(_ number: Int, isHeld: Bool) -> [Int] {
    guard let text = report.text else { return [] }
    let start = before
    let gone = text.utf16.dropFirst(start).prefix(report.caret - start)
    typed.insert(number)
    runs[runs.count - 1].append(number)
    perform { try $0.edit(start, gone.count, Typed.text(number..<(number + 1)), isHeld: isHeld) }
    return String(gone).map { $0.unicodeScalars.compactMap(Typed.number) } ?? []
  }

  func move(_ thousandths: Int) {
    guard report.text != nil else { return }
    runs.append([])
    perform { try $0.move(place(thousandths)) }
  }

  /// Deletes between the caret and a place.
  ///
  /// - Returns: The characters that went.
  func erase(_ place: Int) -> [Int] {
    guard let text = report.text else { return [] }
    runs.append([])
    let (start, end) = (min(place, report.caret), max(place, report.caret))
    guard end > start else { return [] }
    let units = text.utf16
    let gone = text[
      units.index(units.startIndex, offsetBy: start)..<units.index(units.startIndex, offsetBy: end)]
    perform { try $0.edit(start, end - start, "", isHeld: false) }
    return gone.unicodeScalars.compactMap(Typed.number)
  }

  /// Makes the text empty.
  func clear() {
    guard let text = report.text, !text.isEmpty else { return }
    perform { try $0.edit(0, text.utf16.count, "", isHeld: false) }
  }

  /// The place before the character before the caret.
  var before: Int {
    guard let text = report.text else { return 0 }
    let caret = text.utf16.index(text.startIndex, offsetBy: report.caret)
    guard caret > text.startIndex else { return 0 }
    return report.caret - UTF16.width(text.unicodeScalars[text.unicodeScalars.index(before: caret)])
  }

  /// A place between two characters.
  func place(_ thousandths: Int) -> Int {
    let scalars = (report.text ?? "").unicodeScalars
    return scalars.prefix(scalars.count * thousandths / 1_000).reduce(0) { $0 + UTF16.width($1) }
  }

  func tap() { if report.text != nil { perform { try $0.tap() } } }
  func flush() { perform { try $0.flush() } }

  func reload() {
    underWay.formUnion(report.pending.joined().unicodeScalars.compactMap(Typed.number))
    link?.drop()
    link = nil
    isOpen = false
    runs.append([])
    perform { try $0.reload() }
    connect()
  }

  // MARK: - The network

  func opened(_ link: SimulatedLink) {
    guard link === self.link else { return }
    isOpen = true
    perform { try $0.open() }
  }

  func received(_ payload: [UInt8], on link: SimulatedLink) {
    guard link === self.link else { return }
    guard let payload = fault.map({ $0.toPage(payload) }) ?? payload else { return }
    if Self.traces { print("\(name) < \(String(decoding: payload, as: UTF8.self))") }
    noteGivenUp(payload)
    perform { try $0.receive(payload) }
  }

  /// The server may tell the page to give up its text.
  private func noteGivenUp(_ payload: [UInt8]) {
    do {
      guard case .handedOver(let names, _) = try ReceivedFrame(json: payload).content, !names.isEmpty else {
        return
      }
    } catch {
      return fail("the server's message is no frame: \(error)")
    }
    if !log.mayGiveUp(name) { fail("the page is to give up its text, though it was back in time") }
    released.formUnion(typed)
  }

  /// A frame of the page has reached the server.
  func reached(_ payload: [UInt8]) {
    do { try log.note(payload, of: name, at: network.now) } catch { fail("\(error)") }
  }

  func closed(_ link: SimulatedLink, code: UInt16?) {
    guard link === self.link else { return }
    self.link = nil
    isOpen = false
    underWay.formUnion(report.pending.joined().unicodeScalars.compactMap(Typed.number))
    if let code, code >= 4_500 { fail("the server closed the connection with \(code)") }
    perform { try $0.lost() }
    let pause = Duration.milliseconds(Int(network.random.next() % 2_000))
    network.schedule(network.now + pause) { [weak self] in self?.connect() }
  }

  private func perform(_ work: (any PageClient) throws -> PageReport) {
    guard failure == nil else { return }
    do {
      let before = report
      report = try work(client)
      // A socket that is not open yet takes nothing.
      if isOpen { for frame in report.send { try send(Array(frame.utf8)) } }
      if Self.traces { print("\(name) shows \(report.text ?? "nothing"), pending \(report.pending)") }
      if Self.traces { for frame in report.send { print("\(name) \(isOpen ? ">" : "x") \(frame)") } }
      if let problem = report.problem, !problem.contains("bytes") { fail(problem) }
      if let old = before.session, report.session != old {
        if isSigningIn {
          isSigningIn = false
          left.formUnion(typed)
        }
        let pending = Set(before.pending.joined().unicodeScalars.compactMap(Typed.number))
        if log.hasRestarts {
          for number in pending.intersection(underWay) { handedOver[number, default: 0] += 1 }
        }
        underWay = []
        runs.append([])
        isNew = true
        hasBegunAnew = true
      } else if report.revision < before.revision, report.text != nil, before.text != nil {
        // The first snapshot of a new session begins a new count.
        guard !isNew else { return isNew = false }
        fail("the revision went from \(before.revision) to \(report.revision)")
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
    faultState.newestRevision = max(faultState.newestRevision, newestRevision())
    if let frame = try fault.toServer(frame, &faultState) { link?.send(frame) }
  }

  private func fail(_ message: String) {
    if failure == nil { failure = SimulationFailure("\(name): \(message)") }
  }
}
