// SPDX-License-Identifier: Apache-2.0
// Foundation is imported for `Date`, RxSwift's time type, alone.
import Foundation
package import MusubiRx
import Synchronization

/// A room's clock and timers, as a scheduler of the reactive core.
///
/// Work that is due now runs at once; later work becomes a timer of the loop, and comes back through the room's one
/// door as `RoomEvent.timer`. So does work that comes from another thread, such as the answer of a database.
///
/// `@unchecked Sendable`: `schedule` may be called from any thread and crosses to the loop by `enqueue`; everything else
/// is used on the room's loop only.
package final class RoomScheduler: SchedulerType, @unchecked Sendable {
  private let clock: () -> Duration
  private let wallClock: () -> Double
  private let isOnLoop: @Sendable () -> Bool
  private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void
  private var pending: [Int: () -> Void] = [:]
  private var lastTimer = 0
  /// Asks for `onTimer` at a time of the loop's clock.
  var plan: ((RoomScheduler, _ timer: Int, _ deadline: Duration) -> Void)?
  /// Called when a timer is due.
  var onTimer: ((Int) -> Void)?
  /// Called after work that came from another thread has had its turn.
  var onForeignWork: (() -> Void)?

  /// A scheduler.
  ///
  /// - Parameters:
  ///   - clock: The loop's monotonic clock.
  ///   - wallClock: Seconds since 1970.
  ///   - isOnLoop: Whether the caller runs on the room's loop.
  ///   - enqueue: Runs work on the room's loop, later.
  package init(
    clock: @escaping () -> Duration, wallClock: @escaping () -> Double,
    isOnLoop: @escaping @Sendable () -> Bool = { true },
    enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
  ) {
    self.clock = clock
    self.wallClock = wallClock
    self.isOnLoop = isOnLoop
    self.enqueue = enqueue
  }

  /// What time it is.
  package var now: RxTime { Date(timeIntervalSince1970: wallClock()) }

  /// Runs work at once; from another thread, as a turn of the room, soon.
  package func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    guard !isOnLoop() else { return action(state) }
    let work = ForeignWork { action(state) }
    enqueue { [weak self] in self?.take(work) }
    return Disposables.create { work.cancel() }
  }

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

  /// Has work from another thread take its turn.
  private func take(_ work: ForeignWork) {
    lastTimer += 1
    pending[lastTimer] = { work.run() }
    onTimer?(lastTimer)
    onForeignWork?()
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

/// Work on its way to the loop.
///
/// `@unchecked Sendable`: made on one thread, run on the loop, and cancelled from either; `lock` guards the hand-over.
private final class ForeignWork: @unchecked Sendable {
  private let lock = Mutex(())
  private var work: (() -> any Disposable)?
  private var running: (any Disposable)?

  init(_ work: @escaping () -> any Disposable) { self.work = work }

  func run() {
    let work = lock.withLock { _ in
      defer { self.work = nil }
      return self.work
    }
    guard let disposable = work?() else { return }
    lock.withLock { _ in running = disposable }
  }

  func cancel() {
    let running = lock.withLock { _ in
      work = nil
      return self.running
    }
    running?.dispose()
  }
}
