// SPDX-License-Identifier: Apache-2.0
import MusubiClient
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

/// A page that understands nothing: it sends JSON and keeps what comes, for tests of single frames.
final class RawPage: SimulatedPeer {
  private let network: SimulatedNetwork
  private let screen: String
  /// Who it says it is, in the header that `Doorkeeper` reads; nobody if empty.
  var visitor = ""
  /// The peers of the address that it comes from; none if that is not counted.
  var addresses: [Peer] = []
  private(set) var link: SimulatedLink?
  /// The payloads that came on all connections, oldest first.
  private(set) var frames: [String] = []
  /// The code with which the last connection ended; nil if it is up, or was lost.
  private(set) var closeCode: UInt16?
  private(set) var isUp = false
  /// When the last connection ended.
  private(set) var closedAt: Duration?
  private var marked = 0

  init(
    _ network: SimulatedNetwork, _ screen: String, query: [String: String] = [:], as visitor: String = "",
    from addresses: [Peer] = []
  ) {
    self.network = network
    self.screen = screen
    self.visitor = visitor
    self.addresses = addresses
    connect(query)
  }

  func connect(_ query: [String: String], at screen: String? = nil) {
    closeCode = nil
    link = network.connect(
      self, screen: screen ?? self.screen, query: query, headers: visitor.isEmpty ? [:] : ["cookie": visitor],
      from: addresses)
  }

  /// Comes back: resumes with what the last `hello` or `resumed` said and the position given.
  func resume(
    _ query: [String: String] = [:], at screen: String? = nil, session: String? = nil, token: String? = nil,
    position: [Value]? = nil
  ) {
    let session = session ?? self.session
    let token = token ?? self.token
    let position = position ?? self.position
    connect(query.merging(["resume": "1"]) { $1 }, at: screen)
    let resume: Value = ["session": .string(session), "token": .string(token), "position": .array(position)]
    let frame: Value = ["resume": resume]
    send(frame.description)
  }

  func send(_ json: String) { link?.send(Array(json.utf8)) }

  func opened(_ link: SimulatedLink) { isUp = true }

  func received(_ payload: [UInt8], on link: SimulatedLink) {
    frames.append(String(decoding: payload, as: UTF8.self))
  }

  func closed(_ link: SimulatedLink, code: UInt16?) {
    guard link === self.link else { return }
    isUp = false
    closeCode = code
    closedAt = network.now
  }

  /// Forgets the frames so far.
  func clear() { frames = [] }

  /// What comes from now on is `new`.
  func mark() { marked = frames.count }

  // MARK: - What the frames say

  var values: [Value] {
    frames.compactMap { frame in
      do {
        return try Value(json: frame)
      } catch {
        Issue.record("no JSON: \(error) in \(frame)")
        return nil
      }
    }
  }

  /// The frames since the last `mark`.
  var new: [Value] { Array(values.dropFirst(marked)) }

  var session: String {
    last("hello")?["session"]?.stringValue ?? last("resumed")?["session"]?.stringValue ?? ""
  }

  var token: String {
    values.compactMap { ($0["hello"] ?? $0["resumed"])?["token"]?.stringValue }.last ?? ""
  }

  /// Epoch and sequence of the newest state.
  var position: [Value] {
    var epoch = Value.string("")
    var sequence = Value.integer(0)
    for frame in values {
      if let name = frame["epoch"] { epoch = name }
      if let number = frame["sequence"] { sequence = number }
    }
    return [epoch, sequence]
  }

  /// What the page shows for its visitor alone, after each frame that has said something of it.
  var personals: [Value] {
    var all: [Value] = []
    for frame in values where frame["personal"] != nil {
      let told = frame["personal"] ?? .null
      guard case .array = told else {
        all.append(told)
        continue
      }
      do {
        var personal = all.last ?? .null
        try personal.apply(try Operation.patch(json: Array(told.description.utf8)))
        all.append(personal)
      } catch {
        Issue.record("no patch of what was before: \(error) in \(frame)")
      }
    }
    return all
  }

  /// The state, as a client without edits follows it.
  var state: Value {
    var state = Value.null
    for frame in values {
      if let snapshot = frame["snapshot"] { state = snapshot }
      guard let patch = frame["patch"] else { continue }
      do {
        try state.apply(try Operation.patch(json: Array(patch.description.utf8)))
      } catch {
        // Before the first snapshot there is nothing to patch.
        if state != .null { Issue.record("a patch that does not apply: \(error)") }
      }
    }
    return state
  }

  func last(_ kind: String) -> Value? { values.compactMap { $0[kind] }.last }
}
