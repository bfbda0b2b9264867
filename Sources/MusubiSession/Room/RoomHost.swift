// SPDX-License-Identifier: Apache-2.0
import MusubiBinding

/// The requests that a room may make to its loop.
protocol RoomHost: AnyObject {
  /// The room has a turn that is to be finished at the end of the iteration.
  func opened(_ room: Room)

  /// Outputs of the room were written while it handled no event: it wants to handle `RoomEvent.outside` soon.
  func wroteOutside(_ room: Room)

  /// The room handles an input whose turn, if it has one, is to be followed until pages have it.
  func follow(_ turn: Int, of room: Room)

  /// The room differs from its stored state.
  func changed(_ room: Room)

  /// The room's ViewModel asks for screens or dialogs.
  ///
  /// - Parameters:
  ///   - requests: The requests.
  ///   - room: The room.
  ///   - cause: The page whose input has caused it; nil if none has, and in session scope.
  func perform(_ requests: [ScreenRequest], of room: Room, for cause: PageCause?)

  /// Something has happened that is worth a line in the log.
  func report(_ notice: Notice)

  /// An effect of a session's input has begun: what the input has changed is stored when it has finished.
  func effectBegan(of room: Room, for session: Session)

  /// The last effect of the room has finished.
  func effectsEnded(of room: Room)
}
