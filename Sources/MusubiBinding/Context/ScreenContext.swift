// SPDX-License-Identifier: Apache-2.0
public import MusubiRx
package import MusubiWire

/// What a route's factory gets: where the screen is, for whom, and its sources of time and chance.
public struct ScreenContext {
  /// The screen's name.
  public let screen: String
  /// The room's name; nil in session scope.
  public let room: String?
  /// The path of the page that opened the screen, `/contents/42`.
  public let path: String
  /// What the segments of the route's path stand for: `["id": "42"]` for `/contents/<id>`; empty if the path is another.
  public let parameters: [String: String]
  /// The parameters of the connection's address that Musubi itself does not use; Musubi's own client sends none.
  public let query: [String: String]
  /// Who opened the screen; in room scope, who opened it first.
  public let visitor: Visitor
  /// The loop's scheduler: its `now` is the clock that a session can be replayed with, its timers are the loop's.
  public let clock: any SchedulerType
  /// The screen's source of chance.
  public let random: RandomSource
  /// The state that was stored before the server's process ended.
  package var stored: Value?

  /// A context; tests make their own.
  ///
  /// - Parameters:
  ///   - screen: The screen's name.
  ///   - room: The room's name; nil in session scope.
  ///   - path: The path of the page that opened the screen.
  ///   - parameters: What the segments of the route's path stand for.
  ///   - query: The other parameters of the connection's address.
  ///   - visitor: Who opened the screen.
  ///   - clock: The scheduler whose time the screen lives in.
  ///   - random: The screen's source of chance.
  public init(
    screen: String, room: String? = nil, path: String = "/", parameters: [String: String] = [:],
    query: [String: String] = [:],
    visitor: Visitor = .anonymous, clock: any SchedulerType, random: RandomSource
  ) {
    self.screen = screen
    self.room = room
    self.path = path
    self.parameters = parameters
    self.query = query
    self.visitor = visitor
    self.clock = clock
    self.random = random
  }
}
