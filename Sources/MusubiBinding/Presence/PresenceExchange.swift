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
    var relays = WeakRelays<Place, Presence>()
    var homes: [@Sendable (Place) -> Void] = []
  }

  private let state = Mutex(State())

  /// Nobody follows anything.
  package init() {}

  /// The relay that tells who is in a room; may be called from any thread.
  ///
  /// It has nobody until the room's home has told.
  package func follow(_ place: Place) -> SharedRelay<Presence> {
    let (relay, homes) = state.withLock { state -> (SharedRelay<Presence>, [@Sendable (Place) -> Void]) in
      if let relay = state.relays[place] { return (relay, []) }
      let relay = SharedRelay(value: Presence.nobody, isPerServer: true)
      state.relays.keep(relay, for: place)
      return (relay, state.homes)
    }
    for home in homes { home(place) }
    return relay
  }

  /// The relay of a room; nil if nobody follows it.
  package func relay(of place: Place) -> SharedRelay<Presence>? {
    state.withLock { $0.relays[place] }
  }

  /// Has a loop told of each place that is followed from now on, on any thread.
  package func tell(_ home: @escaping @Sendable (Place) -> Void) { state.withLock { $0.homes.append(home) } }
}
