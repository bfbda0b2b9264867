// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx

/// Tells screens of other nodes who is in rooms that are at home here, and asks other nodes about rooms that are not.
///
/// ```
/// a follower's node                                        the room's home
///   SharedRelay ◀── presence ◀───────────────────────────── PresenceTracker
///        └─ it begins, or the home has changed ── follow ──▶ who follows
/// ```
///
/// Of a node that loop asks on which the room's slot would be, once for all screens. What is not told because a link has
/// ended or a slot has moved is asked for again. Confined to its loop.
final class PresenceDesk {
  private unowned let gateway: Gateway
  private let exchange: PresenceExchange
  /// The rooms that screens of this process follow, and where they were asked for.
  private var followed: [RoomKey: Asked] = [:]
  private var maxFollowed = 64
  /// The loops of other nodes that follow a room, which is here or may come.
  private var followers: [RoomKey: Set<Int>] = [:]
  /// Whether some rooms may have other homes than those that were asked.
  var hasNews = false
  /// Whether somebody is to be asked.
  var isDue: Bool { hasNews && !followed.isEmpty }

  /// Where a room was asked for.
  private struct Asked: Equatable {
    /// The place of its home; nil if nobody was asked yet.
    var home: Int?
    var generation: UInt32 = 0
  }

  init(_ gateway: Gateway) {
    self.gateway = gateway
    let environment = gateway.sessions.environment
    exchange = environment.presence
    let me = Carried(Weak(self))
    exchange.tell { [enqueue = environment.enqueue] place in
      enqueue { me.element.object?.follow(RoomKey(place)) }
    }
  }

  // MARK: - Rooms elsewhere

  /// A screen of this process follows a room from now on.
  private func follow(_ key: RoomKey) {
    guard key.slot % gateway.links.count == gateway.loop else { return }
    if followed.count >= maxFollowed {
      for (key, asked) in followed.sorted(by: { $0.key.text < $1.key.text }) where relay(of: key) == nil {
        followed[key] = nil
        if let home = asked.home { tell(home, .follow(key, false)) }
      }
      maxFollowed = max(64, 2 * followed.count)
    }
    followed[key] = Asked()
    hasNews = true
  }

  /// Asks about rooms whose homes have changed; at the end of an iteration.
  func askAgain() {
    guard hasNews else { return }
    hasNews = false
    let slots = gateway.sessions.slots
    for (key, asked) in followed.sorted(by: { $0.key.text < $1.key.text }) {
      // While nobody knows a way the last answer stays.
      guard let home = slots.home(of: key.slot), home == gateway.loop || gateway.link(to: home) != nil else {
        continue
      }
      let now = Asked(home: home, generation: slots.generation(of: key.slot))
      guard now != asked else { continue }
      followed[key] = now
      if let before = asked.home, before != home { tell(before, .follow(key, false)) }
      if home != gateway.loop {
        tell(home, .follow(key, true))
      } else if gateway.sessions.rooms[key] == nil {
        relay(of: key)?.accept(.nobody)
      }
    }
  }

  /// A room's home says who is there.
  func arrived(_ presence: Presence, in key: RoomKey, from place: Int) {
    guard gateway.sessions.slots.home(of: key.slot) == place else { return }
    guard let relay = relay(of: key) else {
      followed[key] = nil
      return tell(place, .follow(key, false))
    }
    relay.accept(presence)
  }

  private func relay(of key: RoomKey) -> SharedRelay<Presence>? {
    exchange.relay(of: PresenceExchange.Place(screen: key.screen, room: key.name))
  }

  private func tell(_ place: Int, _ item: LoopBatch.Item) {
    gateway.link(to: place)?.batch.items.append(item)
  }

  // MARK: - Rooms here

  /// A loop of another node follows a room from now on, or no longer.
  func note(_ place: Int, follows key: RoomKey, _ isFollowed: Bool) {
    guard isFollowed else {
      followers[key]?.remove(place)
      if followers[key]?.isEmpty == true { followers[key] = nil }
      return
    }
    followers[key, default: []].insert(place)
    if let room = gateway.sessions.rooms[key] {
      gateway.sessions.rooms.tellPresence(of: room)
    } else {
      gateway.link(to: place)?.presence[key] = .nobody
    }
  }

  /// Whether other nodes follow a room.
  func isFollowed(_ key: RoomKey) -> Bool { followers[key] != nil }

  /// Tells those who follow a room who is there.
  func tell(_ presence: Presence, in key: RoomKey) {
    for place in followers[key] ?? [] { gateway.link(to: place)?.presence[key] = presence }
  }

  // MARK: - Links

  /// A link has ended: what came over it is asked for again.
  func ended(_ place: Int) {
    for (key, asked) in followed where asked.home == place { followed[key] = Asked() }
    for key in followers.keys { note(place, follows: key, false) }
    hasNews = true
  }
}

extension RoomKey {
  /// The key of a shared room.
  fileprivate init(_ place: PresenceExchange.Place) {
    self.init(screen: place.screen, name: place.room, isPrivate: false)
  }
}
