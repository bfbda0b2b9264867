// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding

/// What a hub takes from outside, so that tests own it: time, chance, and who may enter.
package struct HubEnvironment {
  /// The loop's monotonic clock.
  package var clock: () -> Duration
  /// Seconds since 1970, for ViewModels that ask what time it is.
  package var wallClock: () -> Double
  /// Unpredictable bytes: tokens are made of them.
  package var entropy: (_ count: Int) -> [UInt8]
  /// Whether the caller runs on the hub's loop; always true without one.
  package var isOnLoop: @Sendable () -> Bool = { true }
  /// Runs work on the hub's loop, later; may be called from any thread.
  package var enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
  /// Tells who a visitor is.
  package var authorize: (ConnectionRequest) throws -> Visitor
  /// Is told what happens, for logs and metrics.
  package var observe: ((HubNotice) -> Void)?
  /// Where sessions and rooms outlive the process; nil if they do not.
  package var store: (any SessionStore)?
  /// What was stored before the process began.
  package var restored = StoredState()
  /// Whether it is told about every input and turn, which costs time.
  package var observesTraffic = false

  /// An environment.
  package init(
    clock: @escaping () -> Duration, wallClock: @escaping () -> Double,
    entropy: @escaping (_ count: Int) -> [UInt8],
    authorize: @escaping (ConnectionRequest) throws -> Visitor = { _ in .anonymous },
    observe: ((HubNotice) -> Void)? = nil
  ) {
    self.clock = clock
    self.wallClock = wallClock
    self.entropy = entropy
    self.authorize = authorize
    self.observe = observe
  }
}

/// Something worth a line in a log.
package enum HubNotice {
  /// A page sent an input. `detail` makes its value or edit as JSON, which costs an encoding.
  case input(screen: String, room: String, session: String, name: String, detail: () -> String)
  /// A room has changed; `frame` is the payload of its frame.
  case turn(screen: String, room: String, frame: String)
  /// An input or frame was refused.
  case refused(session: String, code: String, message: String)
  /// The store refuses changes; pages wait for their acknowledgements until it takes them again.
  case storeFailed(message: String)
  /// The store takes changes again.
  case storeRecovered
  /// A session sent too much, and is read from more slowly for a while.
  case slowedDown(session: String)
  /// A screen could not be made.
  case failed(screen: String, message: String)
}
