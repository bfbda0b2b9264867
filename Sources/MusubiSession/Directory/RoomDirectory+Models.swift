// SPDX-License-Identifier: Apache-2.0
import MusubiBinding

/// A restored room whose screen uses shared models that it has no values of yet.
struct AwaitedModels {
  let room: Weak<Room>
  let models: any ModelSource
  /// How long its pages wait for them.
  let until: Duration
}

/// Pages that come back to a restored screen keep what they show until its shared models have told what they have: without that the
/// screen would show nothing of them, and refuse what was typed into their rows.
extension RoomDirectory {
  /// Has the pages of a room wait for a moment, if values are to come.
  func awaitValues(of models: any ModelSource, in room: Room) {
    guard routes[room.key.screen] != nil, models.lacksValues else { return }
    room.awaitsModels = true
    awaiting.append(
      AwaitedModels(
        room: Weak(room), models: models,
        until: environment.clock() + room.configuration.modelWait))
  }

  /// When somebody has waited for long enough; nil if nobody waits.
  var awaitedUntil: Duration? { awaiting.first?.until }

  /// Lets pages go on for which everything has come, or that have waited for long enough.
  func endAwaiting() {
    let now = environment.clock()
    awaiting.removeAll { awaited in
      guard let room = awaited.room.object else { return true }
      guard awaited.until <= now || !awaited.models.lacksValues else { return false }
      room.awaitsModels = false
      room.wakePages()
      return true
    }
  }
}
