// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiClient
import MusubiRx
import MusubiSession
import MusubiTesting
import MusubiWire

/// A screen that counts taps, and shows a text, in a room.
final class ClusterScreen: View, Restorable {
  struct State: Codable {
    var taps = 0
    var text = ""
  }

  static let route = ScreenRoute(name: "cluster", scope: .room(default: "lobby")) { context in
    ClusterScreen(try context.restored())
  }

  /// Rooms, each in a slot of its own among the first ones.
  static func rooms(_ count: Int, slots: Int) -> [String] {
    var rooms: [Int: String] = [:]
    var number = 0
    while rooms.count < count {
      let name = "room\(number)"
      let slot = RoomKey(screen: "cluster", name: name, isPrivate: false).slot
      if slot < slots, rooms[slot] == nil { rooms[slot] = name }
      number += 1
    }
    return rooms.sorted { $0.key < $1.key }.map(\.value)
  }

  private let sum = Label("sum")
  private let echo = Label("echo")
  private let button = Button("tap")
  private let field = TextField("text")
  private(set) var state: State

  init(_ state: State?) { self.state = state ?? State() }

  override func viewDidLoad() {
    show()
    button.onTap = { [unowned self] in
      state.taps += 1
      show()
    }
    field.onChange = { [unowned self] text in
      state.text = text
      show()
    }
  }

  private func show() {
    sum.text = "\(state.taps)"
    echo.text = state.text
  }
}

/// A page of a room of a cluster, of the Swift client: it comes back when the connection is lost.
final class ClusterPage: SimulatedPeer {
  let name: String
  let room: String
  /// What must not have happened but has.
  private(set) var failure: SimulationFailure?
  private(set) var link: SimulatedLink?
  /// How many taps there were.
  private(set) var taps = 0
  /// The characters that were typed, in this order.
  private(set) var typed: [Int] = []
  /// The taps that went with a session of which nothing was stored, and the characters that the next one
  /// has taken over.
  private(set) var lostTaps = 0
  private(set) var movedText: Set<Int> = []
  private var hasTaken = false
  private var session = ClientSession()
  private var isOpen = false
  private let cluster: SimulatedCluster
  private var network: SimulatedNetwork { cluster.network }

  init(_ cluster: SimulatedCluster, room: String, name: String) {
    (self.cluster, self.room, self.name) = (cluster, room, name)
  }

  /// Whether it is connected and waits for nothing.
  var isSettled: Bool { session.phase == .live && session.unconfirmed.isEmpty }
  var sum: String? { session.state["sum"]?.stringValue }
  var echo: String? { session.state["echo"]?.stringValue }
  var text: String? { session.position == nil ? nil : session.text(of: "text") }

  /// All that it shows.
  var shown: [String] { [sum ?? "", text ?? "", echo ?? ""] }

  func connect() {
    guard link == nil else { return }
    var query = ["edits": "1", "room": room]
    if session.identifier != nil { query["resume"] = "1" }
    link = network.connect(self, screen: "cluster", query: query)
  }

  func tap() {
    guard session.position != nil else { return }
    taps += 1
    perform { $0.tap("tap") }
  }

  /// Types a character at the end.
  func type(_ number: Int) {
    guard let end = text?.utf16.count else { return }
    typed.append(number)
    perform { session in
      session.select(end..<end, in: "text")
      try session.type(Typed.text(number..<(number + 1)), into: "text")
    }
  }

  // MARK: - The network

  func opened(_ link: SimulatedLink) {
    guard link === self.link else { return }
    isOpen = true
    perform { $0.connectionOpened() }
  }

  func received(_ payload: [UInt8], on link: SimulatedLink) {
    guard link === self.link else { return }
    if SimulatedPage.traces { print("\(network.now) \(name) < \(String(decoding: payload, as: UTF8.self))") }
    perform { session in
      for notice in try session.receive(payload) {
        guard case .error(let code, let message, _) = notice, code != "session-unknown" else { continue }
        if code == "token-refused", cluster.forgivesLoss { continue }
        throw SimulationFailure(message)
      }
      guard case .acknowledged(let number, _) = try ReceivedFrame(json: payload).content,
        let name = session.identifier
      else { return }
      hasTaken = true
      cluster.noteAcknowledged(number, of: name)
    }
  }

  func closed(_ link: SimulatedLink, code: UInt16?) {
    guard link === self.link else { return }
    self.link = nil
    isOpen = false
    if let code, code >= 4_500, code != 4_502 { fail("the server closed the connection with \(code)") }
    perform { $0.connectionLost() }
    let pause = Duration.milliseconds(Int(network.random.next() % 2_000))
    network.schedule(network.now + pause) { [weak self] in self?.connect() }
  }

  private func perform(_ work: (inout ClientSession) throws -> Void) {
    guard failure == nil else { return }
    let (known, waiting) = (session.identifier, session.unconfirmed)
    let pending = session.position == nil ? [] : session.pendingInsertions(of: "text")
    do { try work(&session) } catch { return fail("\(error)") }
    if let known, session.identifier != known {
      cluster.count("session lost")
      lostTaps += waiting.count { !$0.isEdit }
      if hasTaken, !cluster.forgivesLoss { fail("its session is gone, of which something was acknowledged") }
      hasTaken = false
      movedText.formUnion(pending.joined().unicodeScalars.compactMap(Typed.number))
    }
    for frame in session.takeFrames() where isOpen {
      if SimulatedPage.traces { print("\(network.now) \(name) > \(String(decoding: frame, as: UTF8.self))") }
      link?.send(frame)
    }
  }

  private func fail(_ message: String) {
    if failure == nil { failure = SimulationFailure("\(name): \(message)") }
  }
}
