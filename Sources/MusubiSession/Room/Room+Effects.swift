// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
import MusubiRx

/// The effects that a room's inputs have begun outside.
final class RoomEffects {
  /// How many have not finished, by the member whose input began them.
  fileprivate(set) var open: [Int: Int] = [:]
  /// Whether further inputs wait for their end.
  var overlap = EffectOverlap()
  private var origin = (member: 0, input: 0)
  private var count = 0

  /// How many effects an input has begun, with the one that begins now.
  fileprivate func begin(_ origin: (member: Int, input: Int)) -> Int {
    open[origin.member, default: 0] += 1
    count = self.origin == origin ? count + 1 : 1
    self.origin = origin
    return count
  }
}

extension RoomScheduler: EffectOrigin {
  package func beginEffect() -> Effect? { room?.beginEffect() }
}

extension Room {
  /// Begins an effect of the input that is being handled; nil if none is.
  fileprivate func beginEffect() -> Effect? {
    guard let host, let member = member(origin.member) else { return nil }
    let effects = self.effects ?? RoomEffects()
    self.effects = effects
    let count = effects.begin(origin)
    let input = "\(member.session.id)/\(origin.input)"
    let timeout = SingleAssignmentDisposable()
    let number = member.number
    let place = effects.overlap.begin(at: scheduler.time)
    let effect = Effect(key: count == 1 ? input : "\(input)/\(count)") { [weak self] in
      timeout.dispose()
      self?.endEffect(place, of: number)
    }
    let deadline = RxTimeInterval(configuration.effectDeadline)
    timeout.setDisposable(
      scheduler.scheduleRelative((), dueTime: deadline) { [weak self, weak effect] in
        if effect != nil {
          self?.report("an effect has not finished within effectDeadline; its input is acknowledged")
        }
        effect?.finish()
        return Disposables.create()
      })
    host.effectBegan(of: self, for: member.session)
    return effect
  }

  private func endEffect(_ place: Int, of number: Int) {
    guard let effects, let open = effects.open[number] else { return }
    effects.overlap.finish(place)
    effects.open[number] = open > 1 ? open - 1 : nil
    if effects.open.isEmpty { host?.effectsEnded(of: self) }
  }
}
