// SPDX-License-Identifier: Apache-2.0
package import MusubiRx
import Synchronization

/// Brings the people of shared rooms to screens that ask for them from elsewhere; all loops of a server share it.
///
/// ```
/// a screen's loop                         the room's home
///   presence(in:of:) ◀── SharedRelay ◀──── PresenceTracker
/// ```
///
/// The relay lives as long as a screen follows it.
package final class PresenceExchange: Sendable {
  /// A shared room.
  package struct Place: Hashable, Sendable {
    package let screen: String
    package let room: String

    /// A shared room.
    package init(screen: String, room: String) {
      self.screen = screen
      self.room = room
    }
  }

  private struct State {
    var relays: [Place: WeakRelay] = [:]
    /// When there are so many, those that nobody follows go.
    var nextSweep = 64
    var homes: [@Sendable (Place) -> Void] = []
  }

  private struct WeakRelay {
    weak var relay: SharedRelay<Presence>?
  }

  private let state = Mutex(State())

  /// Nobody follows anything.
  package init() {}

  /// The relay that tells who is in a room; may be called from any thread.
  ///
  /// It has nobody until the room's home has told.
  package func follow(_ place: Place) -> SharedRelay<Presence> {
    let (relay, homes) = state.withLock { state -> (SharedRelay<Presence>, [@Sendable (Place) -> Void]) in
      if let relay = state.relays[place]?.relay { return (relay, []) }
      if state.relays.count >= state.nextSweep {
        state.relays = state.relays.filter { $0.value.relay != nil }
        state.nextSweep = max(64, 2 * state.relays.count)
      }
      let relay = SharedRelay(value: Presence.nobody)
      state.relays[place] = WeakRelay(relay: relay)
      return (relay, state.homes)
    }
    for home in homes { home(place) }
    return relay
  }

  /// The relay of a room; nil if nobody follows it.
  package func relay(of place: Place) -> SharedRelay<Presence>? {
    state.withLock { $0.relays[place]?.relay }
  }

  /// Has a loop told of each place that is followed from now on, on any thread.
  package func tell(_ home: @escaping @Sendable (Place) -> Void) { state.withLock { $0.homes.append(home) } }
}
