// SPDX-License-Identifier: Apache-2.0
// Foundation is imported for `Date`, RxSwift's time type, alone.
import Foundation
package import MusubiRx

/// A room's clock and timers, as a scheduler of the reactive core.
///
/// Work that is due now runs at once; later work becomes a timer of the loop, and comes back through the room's one
/// door as `RoomEvent.timer`. Confined to the room's loop.
package final class RoomScheduler: SchedulerType {
  private let clock: () -> Duration
  private let wallClock: () -> Double
  private var pending: [Int: () -> Void] = [:]
  private var lastTimer: Int = 0
  /// Asks for `onTimer` at a time of the loop's clock.
  var plan: ((RoomScheduler, _ timer: Int, _ deadline: Duration) -> Void)?
  /// Called when a timer is due.
  var onTimer: ((Int) -> Void)?

  /// A scheduler.
  ///
  /// - Parameters:
  ///   - clock: The loop's monotonic clock.
  ///   - wallClock: Seconds since 1970.
  package init(clock: @escaping () -> Duration, wallClock: @escaping () -> Double) {
    self.clock = clock
    self.wallClock = wallClock
  }

  /// What time it is.
  package var now: RxTime { Date(timeIntervalSince1970: wallClock()) }

  /// Runs work at once.
  package func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable { action(state) }

  /// Runs work as a turn of the room, when the time has passed.
  package func scheduleRelative<State>(
    _ state: State, dueTime: RxTimeInterval, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    lastTimer += 1
    let timer = lastTimer
    let inner = SingleAssignmentDisposable()
    pending[timer] = { inner.setDisposable(action(state)) }
    plan?(self, timer, clock() + dueTime.duration)
    return Disposables.create(inner, Disposables.create { [weak self] in self?.pending[timer] = nil })
  }

  /// Runs the work of a timer, unless it was cancelled.
  func fire(_ timer: Int) { pending.removeValue(forKey: timer)?() }
}

extension DispatchTimeInterval {
  /// The interval as a `Duration`; `never` is a hundred years.
  fileprivate var duration: Duration {
    switch self {
    case .seconds(let count): .seconds(count)
    case .milliseconds(let count): .milliseconds(count)
    case .microseconds(let count): .microseconds(count)
    case .nanoseconds(let count): .nanoseconds(count)
    case .never: .seconds(100 * 365 * 86_400)
    @unknown default: .zero
    }
  }
}
