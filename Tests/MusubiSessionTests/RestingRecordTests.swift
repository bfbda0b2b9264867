// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiClient
import MusubiRx
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// Counts what happens outside, tells each by an event, and notes it at the end of a text that pages type into.
private final class TallyViewModel: InputOutputViewModel, Restorable {
  struct State: Codable {
    var count = 0
    var text = ""
  }

  struct Inputs: Decodable { let text: Signal<String> }

  struct Outputs: Encodable {
    let count: Driver<Int>
    let text: Driver<String>
    let told: Signal<Int>
  }

  private(set) var state: State
  private let happenings: SharedRelay<Int>
  private let count: BehaviorRelay<Int>
  private let text: BehaviorRelay<String>
  private let told = PublishRelay<Int>()
  private let bag = DisposeBag()

  init(_ happenings: SharedRelay<Int>, _ context: ScreenContext) throws {
    self.happenings = happenings
    state = try context.restored() ?? State()
    count = BehaviorRelay(value: state.count)
    text = BehaviorRelay(value: state.text)
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.text.emit(onNext: { [unowned self] text in show(text) }).disposed(by: bag)
    happenings.asObservable().subscribe(onNext: { [unowned self] _ in
      state.count += 1
      count.accept(state.count)
      show(state.text + "\(state.count).")
      told.accept(state.count)
    }).disposed(by: bag)
    return Outputs(count: count.asDriver(), text: text.asDriver(), told: told.asSignal())
  }

  private func show(_ newText: String) {
    state.text = newText
    text.accept(newText)
  }
}

/// A page that somebody types into, also without a connection.
private final class TallyPage: SimulatedPeer {
  private(set) var session = ClientSession()
  private(set) var told: [Int] = []
  private(set) var problems: [String] = []
  private var typed = 0
  private var isWanted = true
  private let network: SimulatedNetwork
  private var link: SimulatedLink?

  init(_ network: SimulatedNetwork) {
    self.network = network
    connect()
  }

  private func connect() {
    var query = ["edits": "1"]
    if session.identifier != nil { query["resume"] = "1" }
    link = network.connect(self, screen: "tally", query: query)
  }

  func lose() {
    isWanted = false
    link?.drop()
  }

  func comeBack() {
    isWanted = true
    if link == nil { connect() }
  }

  /// Types one more letter.
  func type() throws {
    try session.type(String(UnicodeScalar(UInt8(ascii: "a") + UInt8(typed % 26))), into: "text")
    typed += 1
    send()
  }

  private func send() {
    guard session.phase != .offline else { return }
    for frame in session.takeFrames() { link?.send(frame) }
  }

  func opened(_ link: SimulatedLink) {
    guard link === self.link else { return }
    session.connectionOpened()
    send()
  }

  func received(_ payload: [UInt8], on link: SimulatedLink) {
    guard link === self.link else { return }
    do {
      for notice in try session.receive(payload) {
        switch notice {
        case .event(_, let value): told.append(value?.intValue ?? -1)
        case .error(let code, let message, _): problems.append("\(code): \(message)")
        default: break
        }
      }
    } catch {
      problems.append("\(error)")
    }
    send()
  }

  func closed(_ link: SimulatedLink, code: UInt16?) {
    guard link === self.link else { return }
    self.link = nil
    session.connectionLost()
    network.schedule(network.now + .milliseconds(7)) { [weak self] in
      if let self, isWanted, self.link == nil { connect() }
    }
  }

  /// What is wrong with the end of a run; nil if nothing is.
  func problem(_ record: StoredRoom) -> String? {
    let state = (count: record.state["count"]?.intValue ?? 0, text: record.state["text"]?.stringValue ?? "")
    let text = session.text(of: "text") ?? ""
    guard problems.isEmpty, session.phase == .live, session.unconfirmed.isEmpty else { return "\(problems)" }
    guard told == Array(0..<state.count).map({ $0 + 1 }) else { return "told \(told) of \(state.count)" }
    guard text == state.text, record.texts.first?.text == text else { return "\(text) is not \(state.text)" }
    let notes = (0..<state.count).map { "\($0 + 1)." }.joined()
    guard text.filter({ !$0.isLetter }) == notes else { return "\(text) has not all notes" }
    let letters = (0..<typed).map { Character(UnicodeScalar(UInt8(ascii: "a") + UInt8($0 % 26))) }
    return text.filter(\.isLetter) == String(letters) ? nil : "\(text) has not all letters"
  }
}

/// `MUSUBI_LONG=1` plays 5,000 times instead of a sample.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `A stored screen without a page, killed at any time` {
  private static let isLong = ProcessInfo.processInfo.environment["MUSUBI_LONG"] == "1"

  /// Leaves a screen and comes back again and again; meanwhile things happen, somebody types, the server is killed.
  private func play(_ seed: UInt64, falsify: ((StoreChanges) -> StoreChanges)? = nil) throws -> String? {
    var random = RandomSource(seed: seed)
    let (happenings, store) = (SharedRelay<Int>(), SimulatedStore())
    store.falsify = falsify
    store.delay = .milliseconds(Int.random(in: 1...30, using: &random))
    let network = SimulatedNetwork(
      seed: seed, store: store,
      routes: [
        ScreenRoute(name: "tally", scope: .session, keepsRunning: true) { context in
          InputOutputScreen(try TallyViewModel(happenings, context), name: "tally")
        }
      ])
    func settle(_ milliseconds: Int) { network.run(until: network.now + .milliseconds(milliseconds)) }
    let page = TallyPage(network)
    settle(500)
    try page.type()
    settle(500)
    for _ in 0..<6 {
      page.lose()
      settle(100)
      var events = 0
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: try page.type()
        case 1: network.restartServer()
        case 2...4: settle(Int.random(in: 1...60, using: &random))
        default:
          // More than sixteen are not kept.
          events += 1
          if events <= 16 { happenings.accept(events) }
        }
      }
      page.comeBack()
      settle(2_000)
    }
    let record = try #require(store.storedRooms.first)
    return page.problem(record) ?? store.misfits.first
  }

  @Test func `tells each event once, and has its texts with all that was typed meanwhile`() throws {
    for seed in 0..<(Self.isLong ? 5_000 : 300) as Range<UInt64> {
      guard let problem = try play(seed) else { continue }
      Issue.record("seed \(seed): \(problem)")
      return
    }
  }

  /// A mistake in steps of records: a test of the test.
  enum Mistake: CaseIterable { case forgetsEvents, forgetsTexts }

  @Test(arguments: Mistake.allCases) func `shows a mistake of its records`(_ mistake: Mistake) throws {
    let falsify = { (changes: StoreChanges) in
      var changes = changes
      changes.roomSteps = changes.roomSteps.map { step in
        var wrong = StoredRoomStep(
          room: step.room, number: step.number,
          sequence: step.sequence,
          outputs: step.outputs, state: step.state, texts: mistake == .forgetsTexts ? [] : step.texts,
          events: mistake == .forgetsEvents ? nil : step.events, nextMember: step.nextMember, left: step.left)
        wrong.taken = step.taken
        return wrong
      }
      return changes
    }
    #expect(try (0..<100 as Range<UInt64>).contains { try play($0, falsify: falsify) != nil })
  }
}
