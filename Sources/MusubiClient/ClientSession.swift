// SPDX-License-Identifier: Apache-2.0
public import MusubiWire

/// One page's side of the protocol, without socket and clock.
///
/// Text frames go in by `receive`, and come out of `takeFrames`; everything else is plain state. The owner tells
/// when a connection opens and when it is lost, and connects to `query` each time.
///
/// ```swift
/// var session = ClientSession()
/// session.connectionOpened()
/// try session.receive(frame)               // hello, then a snapshot
/// session.state["label"]                   // "0"
/// session.tap("roll")
/// for frame in session.takeFrames() { … }  // {"input":1,"name":"roll"}
/// ```
public struct ClientSession: Sendable {
  /// Where the session stands with its connection.
  public enum Phase: Equatable, Sendable {
    /// There is no connection.
    case offline
    /// A connection is open, and the server has not answered yet.
    case greeting
    /// The session goes on, and the missed turns are on their way.
    case catchingUp
    /// Inputs are sent as they are made.
    case live
  }

  /// An input that the server has not acknowledged.
  public struct Unconfirmed: Equatable, Sendable {
    /// The client's number for it.
    public let number: Int
    /// The input's name.
    public let name: String
    /// The rows that it came from, outermost first.
    public let row: [String]
    /// Its value; nil for a tap and for an edit.
    public let value: Value?
    /// Whether it is an edit of a two-way text.
    public let isEdit: Bool
    /// The number of the screen that it belongs to.
    public let screen: Int
    /// The screen or dialog that it closes.
    var closing: ClientFrame.Input.Payload?
    /// Names the text that it edits; empty if it is no edit.
    var key = ""

    var place: Place { Place(name: name, row: row, screen: screen) }
  }

  /// The source of an input.
  struct Place: Hashable {
    var name: String
    var row: [String]
    var screen: Int
  }

  /// A text that nobody shows any more: its row has gone before all of it was taken, or a server that has lost its memory
  /// has another one.
  public struct OrphanedText: Equatable, Sendable {
    /// The text's name.
    public let name: String
    /// The ids of the rows that it was in, outermost first; empty if it was in none.
    public let row: [String]
    /// What its field showed.
    public let text: String
  }

  /// Whether two-way texts are followed by edits.
  public let followsEdits: Bool
  /// Where the session stands with its connection.
  public internal(set) var phase = Phase.offline
  /// The session's public name; nil before the first `hello`.
  public internal(set) var identifier: String?
  /// An opaque name of whose session it is; nil before the first `hello`, or if the server does not say.
  public internal(set) var visitor: String?
  /// The stack of screens, the shown one last; empty if it is the first screen without a dialog.
  public internal(set) var stack: [ClientScreen] = []
  /// Seconds after which the server wants to have heard something; 0 before the first `hello`.
  public internal(set) var heartbeatSeconds = 0
  /// Inputs of a lost session that were not repeated, because nobody knows whether they took effect.
  public internal(set) var lost: [Unconfirmed] = []

  /// Texts that nobody shows any more: for people to copy.
  public internal(set) var orphanedTexts: [OrphanedText] = []

  /// Whether the next connection begins again, because the client cannot follow the last one.
  var mustBeginAfresh = false
  var token = ""
  var outbox: [Unconfirmed] = []
  /// What the server takes at most; this, unless it says something else.
  var limits = ServerFrame.Limits(frame: 65_536, text: 262_144)
  /// Values that no frame can hold.
  var tooLong: [Place: Unconfirmed] = [:]
  var screens: [Int: ScreenState] = [0: ScreenState()]
  /// Whether the stack is of an older connection.
  var isStackOld = false
  var frames: [[UInt8]] = []
  var lastNumber = 0
  var acknowledged = 0
  private var lastPing = 0
  var barrier: Int?
  /// How many turns are to come after the last `resumed`; nil if a snapshot is.
  var missing: Int?
  /// The new session's first frame, while the server has not answered the hand-over.
  var greeting: ServerFrame.Hello?
  /// The texts that give way to those of the next snapshot.
  var givenUp: Set<String> = []
  var outcome: ClientNotice.ResumeOutcome?

  /// Starts without a session.
  ///
  /// - Parameter followsEdits: Whether two-way texts are followed by edits; otherwise whole values are exchanged.
  public init(followsEdits: Bool = true) { self.followsEdits = followsEdits }

  // MARK: - Connections

  /// The query of the next connection, without `?`.
  public var query: String {
    [followsEdits ? "edits=1" : nil, identifier == nil || mustBeginAfresh ? nil : "resume=1"].compactMap {
      $0
    }.joined(
      separator: "&")
  }

  /// A connection to `query` is open.
  public mutating func connectionOpened() {
    phase = .greeting
    frames = []
    barrier = nil
    missing = nil
    greeting = nil
    outcome = nil
    guard let identifier, !mustBeginAfresh else { return }
    // A reloaded page has no position; no epoch has an empty name, so it gets a snapshot.
    let place = screens[0]?.position ?? ClientPosition(epoch: "", sequence: 0)
    emit(
      .resume(
        ClientFrame.Resume(
          session: identifier, token: token, epoch: place.epoch, sequence: place.sequence)))
  }

  /// The connection has gone.
  public mutating func connectionLost() {
    phase = .offline
    frames = []
  }

  /// Gives the session up: the next connection begins a new one, which gets unacknowledged text.
  public mutating func abandonSession() {
    connectionLost()
    mustBeginAfresh = true
  }

  /// Forgets the state but not the session and its unacknowledged inputs, as a reloaded page does.
  public mutating func forgetState() {
    connectionLost()
    stack = []
    for number in screens.keys {
      screens[number]?.remember()
      screens[number]?.state = .object(Value.Object())
      screens[number]?.selections = [:]
    }
  }

  /// Takes the text frames that are to be sent, in order.
  public mutating func takeFrames() -> [[UInt8]] {
    defer { frames = [] }
    return frames
  }

  /// Asks the server for a `pong`; nothing happens while there is no connection.
  ///
  /// - Returns: The number that the `pong` will carry.
  public mutating func ping() -> Int {
    lastPing += 1
    if phase != .offline { emit(.ping(lastPing)) }
    return lastPing
  }

  // MARK: - Queries

  /// The number of the screen that is shown.
  public var shown: Int { stack.last?.number ?? 0 }

  /// The outputs of the shown screen that have a value.
  ///
  /// This visitor's own values stand in the place of those that all see.
  public var state: Value { screens[shown]?.visibleState ?? .object(Value.Object()) }

  /// The last turn or snapshot of the shown screen that was applied.
  public var position: ClientPosition? { screens[shown]?.position }

  /// The two-way texts of the shown screen.
  var documents: [String: ClientDocument] {
    get { screens[shown]?.documents ?? [:] }
    _modify { yield &screens[shown, default: ScreenState()].documents }
  }

  /// The inputs that the server has not acknowledged, oldest first.
  public var unconfirmed: [Unconfirmed] { outbox }

  /// The text that the field of a two-way name shows, own typing included.
  ///
  /// - Parameters:
  ///   - name: The text's name.
  ///   - row: The ids of the rows that it is in, outermost first.
  /// - Returns: The text; nil if there is no such field.
  public func text(of name: String, row: [String] = []) -> String? {
    guard let key = key(of: name, row: row) else { return nil }
    if let document = documents[key] { return document.text }
    if let text = kept(name, row)?.value?.stringValue { return text }
    guard let text = fieldText(key, in: state) else { return nil }
    let typed = outbox.last {
      $0.name == name && $0.screen == shown && $0.row == row && $0.value?.stringValue != nil
    }
    return typed?.value?.stringValue ?? text
  }

  mutating func emit(_ frame: ClientFrame) { frames.append([UInt8](writing: { $0.appendJSON(frame) })) }
}
