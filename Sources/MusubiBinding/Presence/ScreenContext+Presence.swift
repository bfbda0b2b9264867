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
}

/// Has a room, or what stands for one in a test.
package protocol PresenceSource: AnyObject {
  /// Finds out who is there, from the first call on; nil if the caller does not run where the screen lives.
  func presenceTracker(now clock: any SchedulerType) -> PresenceTracker?
}
