// SPDX-License-Identifier: Apache-2.0
public import MusubiRx

extension ScreenContext {
  /// Who is in the room, and what they do: since when, whether idle, where they type.
  ///
  /// ```swift
  /// application.screen("note", scope: .room, page: "note.html") { context in
  ///   NoteViewModel(presence: context.presence)
  /// }
  /// ```
  ///
  /// It begins with those who are here, and changes at most five times a second. The room is watched from the first time
  /// that this is asked for. In session scope it is the one visitor; for a shared model, which has no pages, nobody.
  public var presence: Driver<Presence> {
    (source as? any PresenceSource)?.presenceTracker(now: clock)?.presence ?? .just(.nobody)
  }

  /// Who is in a shared room of any screen, as seen from another screen: a lobby that tells how full its rooms are.
  ///
  /// ```swift
  /// application.screen("lobby", page: "lobby.html") { context in
  ///   LobbyViewModel(tearoom: context.presence(in: "tearoom", of: "note"))
  /// }
  /// ```
  ///
  /// It begins with nobody, and tells who is there as soon as the room's event loop has answered. The room is watched as long as
  /// somebody follows it, whether it is there already or not. Nobody is asked whether the visitor may enter the room:
  /// follow only the rooms whose people this screen's visitors may know.
  ///
  /// - Parameters:
  ///   - room: The room's name.
  ///   - screen: The name of the screen in room scope.
  /// - Returns: Who is there; nobody for a name that no screen in room scope has.
  public func presence(in room: String, of screen: String) -> Driver<Presence> {
    if room == self.room, screen == self.screen { return presence }
    guard let exchange = (source as? any PresenceSource)?.presenceExchange else { return .just(.nobody) }
    return exchange.follow(PresenceExchange.Place(screen: screen, room: room)).asObservable()
      .asDriver(onErrorJustReturn: .nobody)
  }
}

/// Has a room, or what stands for one in a test.
package protocol PresenceSource: AnyObject {
  /// Finds out who is there, from the first call on; nil if the caller does not run where the screen lives.
  func presenceTracker(now clock: any SchedulerType) -> PresenceTracker?

  /// Knows who is in other rooms.
  var presenceExchange: PresenceExchange { get }
}
