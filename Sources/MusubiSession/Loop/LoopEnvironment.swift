// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding

/// The needs of a loop's session work from outside, so that tests own them: time, chance, and who may enter.
package struct LoopEnvironment {
  /// Which of the server's loops it is, from 0.
  package var loop = 0
  /// How many loops the server has.
  package var loops = 1
  /// Whether other nodes have slots, too: none is here until the loop's gateway adopts it.
  package var isClustered = false
  /// The program's build, a larger number for a newer one; nil if one server has the store for itself.
  package var build: Int?
  /// The loop's monotonic clock.
  package var clock: () -> Duration
  /// When the messages of this iteration arrived, on that clock.
  package var arrival: () -> Duration
  /// Seconds since 1970, for ViewModels that ask what time it is.
  package var wallClock: () -> Double
  /// Unpredictable bytes: tokens are made of them.
  package var entropy: (_ count: Int) -> [UInt8]
  /// The 32 bytes of a SHA-256: of tokens, and of visitors' identities.
  package var sha256: (_ bytes: [UInt8]) -> [UInt8]
  /// Whether the caller runs on the loop; always true without one.
  package var isOnLoop: @Sendable () -> Bool = { true }
  /// Runs work on the loop, later; may be called from any thread.
  package var enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
  /// Tells who a visitor is, or why it may not enter; answers once on the loop, before it returns or later.
  package var authorize: (ConnectionRequest, _ then: @escaping (Authorization) -> Void) -> Void
  /// Tells whether a visitor may enter a room of a screen.
  package var allowsRoom: ((_ visitor: Visitor, _ screen: String, _ room: String) -> Bool)?
  /// Is told what happens, for logs and metrics.
  package var observe: ((Notice) -> Void)?
  /// Where visitors send files; nil where no screen takes any.
  package var files: (any SentFiles)?
  /// What of them is on its way, on all loops together.
  package var arrivals = FileArrivals()
  /// Where sessions and rooms outlive the process; nil if they do not.
  package var store: (any SessionStore)?
  /// Where what happens to rooms is written down; none if nobody has asked for it.
  package var records: [any RecordFolder] = []
  /// The place where the loop notes the event that it runs; nil without a store.
  package var record: (any EventRecord)?
  /// The bytes of each screen's objects.
  package var screenBytes = ScreenBytes()
  /// The bytes that an open connection takes, apart from what waits for it.
  package var connectionBytes = 2_048
  /// The state that was stored before the process began.
  package var restored = StoredState()
  /// Who is in rooms that other screens follow, on all loops together.
  package var presence = PresenceExchange()
  /// Whose turn it is to run inputs that may have ended other processes, on all loops together.
  package var trials = TrialTurn()
  /// What each peer has, on all loops together.
  package var ledger = PeerLedger()
  /// Whether it is told about every input and turn, which costs time.
  package var observesTraffic = false

  /// An environment.
  package init(
    clock: @escaping () -> Duration, wallClock: @escaping () -> Double,
    entropy: @escaping (_ count: Int) -> [UInt8], sha256: @escaping (_ bytes: [UInt8]) -> [UInt8],
    authorize: @escaping (ConnectionRequest) throws -> Visitor = { _ in .anonymous },
    observe: ((Notice) -> Void)? = nil
  ) {
    self.clock = clock
    arrival = clock
    self.wallClock = wallClock
    self.entropy = entropy
    self.sha256 = sha256
    self.authorize = { request, then in then(Authorization { try authorize(request) }) }
    self.observe = observe
  }
}

/// What an application's hook says of somebody who wants to enter.
package enum Authorization {
  /// Who it is.
  case visitor(Visitor)
  /// It may not enter, or nobody knows in time.
  case refused(VisitorRefusal)
  /// The hook could not tell, which nobody has been told yet.
  case failed(any Error)

  /// The answer of a hook that returns a visitor or throws.
  package init(_ hook: () throws -> Visitor) {
    do {
      self = .visitor(try hook())
    } catch {
      self = VisitorRefusal(error).map(Authorization.refused) ?? .failed(error)
    }
  }
}

// MARK: - Who somebody is

extension LoopEnvironment {
  /// Asks the application's hook who somebody is.
  func identify(_ request: ConnectionRequest, then: @escaping (Result<Visitor, VisitorRefusal>) -> Void) {
    authorize(request) { [observe] authorization in
      switch authorization {
      case .visitor(let visitor): then(.success(visitor))
      case .refused(let refusal): then(.failure(refusal))
      case .failed(let error):
        observe?(
          .authorizationFailed(
            screen: request.screen, peer: request.addresses.first,
            message: VisitorRefusal.explanation(of: error)))
        then(.failure(.failed))
      }
    }
  }
}

// MARK: - Time and chance

extension LoopEnvironment {
  /// Translates a moment in seconds since 1970, or now, to the loop's clock.
  func monotonicTime() -> (Double?) -> Duration {
    let (now, wallNow) = (clock(), wallClock())
    return { now - .seconds(max(0, wallNow - ($0 ?? wallNow))) }
  }

  /// Translates a moment of the loop's clock to seconds since 1970.
  func wallTime(of time: Duration) -> Double { wallClock() - (clock() - time) / .seconds(1) }

  /// A name that nobody guesses: base64url of random bytes, without padding.
  func randomName(bytes count: Int) -> String { Base64URL.text(entropy(count)[...]) }

  /// All that is kept of a token.
  func hash(_ token: String) -> TokenHash { TokenHash(sha256(Array(token.utf8))) }

  /// An opaque name of a visitor for pages, the same on every server and after a restart: `anonymous`, or 16 characters
  /// of base64url.
  func name(of visitor: Visitor) -> String {
    guard let identity = visitor.id else { return "anonymous" }
    return Base64URL.text(sha256(Array("musubi.visitor:\(identity)".utf8)).prefix(12))
  }

  func randomSeed() -> UInt64 { entropy(8).reduce(0) { ($0 << 8) | UInt64($1) } }

  /// A new session's name.
  ///
  /// - Parameters:
  ///   - room: The shared room that it shows; nil for a screen of its own, whose slot is any that is at home on this loop.
  ///   - slots: Which slots are.
  /// - Returns: The name; nil if the slot is not here.
  func sessionName(in room: RoomKey?, _ slots: SlotTable) -> String? {
    let random = entropy(12)
    let number = random.suffix(3).reduce(0) { $0 << 8 | Int($1) }
    guard let slot = room?.slot ?? slots.open(near: number), slots.isOpen(slot) else { return nil }
    return SessionName.make(slot: slot, random: random.prefix(9))
  }
}

/// Bytes as text (RFC 4648 section 5), without padding.
enum Base64URL {
  static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(unsafeUninitializedCapacity: (bytes.count * 8 + 5) / 6) { characters in
      var length = 0
      var buffer: UInt32 = 0
      var bits = 0
      for byte in bytes {
        buffer = (buffer << 8) | UInt32(byte)
        bits += 8
        while bits >= 6 {
          bits -= 6
          characters[length] = alphabet[Int((buffer >> UInt32(bits)) & 63)]
          length += 1
        }
      }
      if bits > 0 {
        characters[length] = alphabet[Int((buffer << UInt32(6 - bits)) & 63)]
        length += 1
      }
      return length
    }
  }
}
