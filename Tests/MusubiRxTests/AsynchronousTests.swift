// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import MusubiRx
import Synchronization
import Testing

extension ReactiveCore {
  @Suite(.timeLimit(.minutes(5))) struct `Asynchronous boundaries between queues` {
    @Test func `survive a disposal from another thread while they deliver`() {
      let received = Atomic<Int>(0)
      for _ in 0..<300 {
        let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "boundary")
        let other = ConcurrentDispatchQueueScheduler(qos: .default)
        let subscription = Observable<Int>.interval(.nanoseconds(1), scheduler: queue)
          .map { $0 + 1 }.observe(on: other).filter { $0 > 0 }
          .delay(.nanoseconds(1), scheduler: queue).take(50)
          .subscribe(onNext: { _ in received.add(1, ordering: .relaxed) })
        subscription.dispose()
      }
      #expect(received.load(ordering: .relaxed) <= 300 * 50)
    }

    @Test func `deliver everything in order`() async throws {
      let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "order")
      let other = ConcurrentDispatchQueueScheduler(qos: .default)
      let numbers = Observable.range(start: 0, count: 2000)
        .subscribe(on: queue).observe(on: other).observe(on: queue).toArray()
      #expect(try await numbers.value == Array(0..<2000))
    }

    /// Operators with several sources, each of which delivers on a thread of its own.
    private static let joins: [@Sendable (Observable<Int>, Observable<Int>) -> Observable<Int>] = [
      { Observable.combineLatest($0, $1) { $0 + $1 } },
      { Observable.zip($0, $1) { $0 + $1 } },
      { Observable.merge($0, $1) },
      { $0.withLatestFrom($1) },
      { $0.sample($1) },
      { first, second in first.flatMap { _ in second.take(2) } },
      { first, second in first.flatMapLatest { _ in second.take(2) } },
    ]

    @Test(arguments: joins.indices)
    func `join sources of several threads, one event at a time`(index: Int) async throws {
      for _ in 0..<10 {
        let first = Observable<Int>.interval(
          .microseconds(500), scheduler: SerialDispatchQueueScheduler(internalSerialQueueName: "first"))
        let second = Observable<Int>.interval(
          .microseconds(100), scheduler: SerialDispatchQueueScheduler(internalSerialQueueName: "second"))
        let inside = Atomic<Int>(0)
        let overlaps = Atomic<Int>(0)
        let count = Atomic<Int>(0)
        let results = Self.joins[index](first, second)
          .do(onNext: { _ in
            if inside.add(1, ordering: .acquiringAndReleasing).newValue > 1 {
              overlaps.add(1, ordering: .relaxed)
            }
            count.add(1, ordering: .relaxed)
            inside.subtract(1, ordering: .acquiringAndReleasing)
          })
          .take(50).toArray()
        #expect(try await results.value.count == 50)
        #expect(overlaps.load(ordering: .relaxed) == 0)
        #expect(count.load(ordering: .relaxed) == 50)
      }
    }

    @Test func `have amb follow one of several threads' sources alone`() async {
      let seen = Mutex<[Int]>([])
      for _ in 0..<20 {
        seen.withLock { $0 = [] }
        await onThread {
          let (overlap, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
          let queues = ["first", "second"].map { SerialDispatchQueueScheduler(internalSerialQueueName: $0) }
          let subjects = queues.map { _ in PublishSubject<Int>() }
          // The winner lets it go first. Long enough for the other one; its element ends the wait.
          let slow = Observable<Int>.never().do(onDispose: {
            _ = overlap.wait(timeout: .now() + .milliseconds(5))
          })
          let sources = [slow] + zip(subjects, queues).map { $0.observe(on: $1) }
          let subscription = Observable.amb(sources).subscribe(onNext: { number in
            seen.withLock { $0.append(number) }
            overlap.signal()
          })
          for (number, subject) in subjects.enumerated() { subject.onNext(number) }
          for queue in queues {
            _ = queue.schedule(()) { _ in
              isOver.signal()
              return Disposables.create()
            }
          }
          for _ in queues { isOver.wait() }
          subscription.dispose()
        }
        #expect(seen.withLock { $0.count } == 1)
      }
    }

    @Test func `deliver all, however soon a queue runs its work`() async throws {
      for _ in 0..<300 {
        let made = SerialDispatchQueueScheduler(internalSerialQueueName: "made")
        let observed = SerialDispatchQueueScheduler(internalSerialQueueName: "observed")
        let ticks = Observable<Int>.interval(.microseconds(1), scheduler: made).take(5)
        let numbers = Observable.from(Array(0..<20), scheduler: made).observe(on: observed)
        #expect(try await ticks.toArray().value == Array(0..<5))
        #expect(try await numbers.toArray().value == Array(0..<20))
      }
    }

    /// Operators with a timer of the main scheduler.
    private static let timers: [@Sendable (Observable<Int>) -> Observable<Int>] = [
      { $0.debounce(.milliseconds(1), scheduler: MainScheduler.instance) },
      { $0.throttle(.milliseconds(1), scheduler: MainScheduler.instance) },
      { $0.delay(.milliseconds(1), scheduler: MainScheduler.instance) },
      { $0.timeout(.seconds(2), scheduler: MainScheduler.instance) },
      { $0.take(for: .seconds(2), scheduler: MainScheduler.instance) },
      {
        $0.buffer(timeSpan: .milliseconds(1), count: 9, scheduler: MainScheduler.instance)
          .flatMap { Observable.from($0) }
      },
      { $0.window(timeSpan: .milliseconds(1), count: 9, scheduler: MainScheduler.instance).merge() },
      { $0.take(1).asSingle().delay(.milliseconds(1), scheduler: MainScheduler.instance).asObservable() },
    ]

    @Test(arguments: timers.indices)
    func `bring an element of another thread to the loop whose timer it meets`(index: Int) async {
      let (loop, subscription, isSent) = (QueueLoop(), SerialDisposable(), DispatchSemaphore(value: 0))
      nonisolated(unsafe) let (subject, held) = (PublishSubject<Int>(), subscription)
      let isAtHome = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        loop.run {
          held.disposable = Self.timers[index](subject.asObservable())
            .subscribe(onNext: { _ in
              continuation.resume(returning: LoopContext.current as? QueueLoop === loop)
            })
        }
        Thread.detachNewThread {
          subject.onNext(1)
          isSent.signal()
        }
      }
      #expect(isAtHome)
      loop.run {
        isSent.wait()
        held.dispose()
      }
    }

    @Test func `have the sources of a chain take turns that a concurrent queue may dispose of`() {
      let probe = OverlapProbe()
      let (isReady, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let observers = Mutex<[Carried<AnyObserver<Int>>]>([])
      let source = Observable<Int>.create { observer in
        observers.withLock { $0.append(Carried(observer)) }
        isReady.signal()
        return Disposables.create()
      }
      let subscription = Observable.merge(source, source)
        .subscribe(on: ConcurrentDispatchQueueScheduler(qos: .default))
        .subscribe(onNext: { _ in probe.take() })
      for _ in 0..<2 { isReady.wait() }
      let both = observers.withLock { $0 }
      Thread.detachNewThread {
        both[0].element.onNext(1)
        isOver.signal()
      }
      probe.hasBegun.wait()
      both[1].element.onNext(2)
      isOver.wait()
      subscription.dispose()
      #expect(probe.overlaps.load(ordering: .relaxed) == 0)
    }

    /// Sources that deliver on a concurrent queue.
    private static let queued: [@Sendable (ConcurrentDispatchQueueScheduler) -> Observable<Int>] = [
      { .just(1, scheduler: $0) },
      { .from(optional: 1, scheduler: $0) },
      { .range(start: 1, count: 1, scheduler: $0) },
      { .generate(initialState: 1, condition: { $0 == 1 }, scheduler: $0) { $0 + 1 } },
      { Observable<Int>.never().buffer(timeSpan: .milliseconds(1), count: 9, scheduler: $0).map(\.count) },
      {
        let windows = Observable.just(1).concat(Observable.never())
          .window(timeSpan: .milliseconds(1), count: 9, scheduler: $0)
        return windows.enumerated().filter { $0.index > 0 }.map(\.index)
      },
    ]

    @Test(arguments: queued.indices)
    func `let an element of a loop wait while a source on a queue delivers`(index: Int) {
      let (probe, subject) = (OverlapProbe(), PublishSubject<Int>())
      let source = Self.queued[index](ConcurrentDispatchQueueScheduler(qos: .default))
      let subscription = Observable.merge(source, subject.asObservable())
        .subscribe(onNext: { _ in probe.take() })
      probe.hasBegun.wait()
      subject.onNext(2)
      subscription.dispose()
      #expect(probe.overlaps.load(ordering: .relaxed) == 0)
    }

    @Test func `let go of what a callback ends while its closure returns`() {
      let disposals = Atomic<Int>(0)
      let queue = DispatchQueue(label: "callback")
      for round in 0..<5000 {
        let (isReady, mayEnd) = (Baton(), Baton())
        let isOver = DispatchSemaphore(value: 0)
        let subscription = Observable<Int>.create { observer in
          let observer = Carried(observer)
          queue.async {
            isReady.pass()
            mayEnd.take()
            observer.element.onCompleted()
            isOver.signal()
          }
          isReady.take()
          let disposable = Disposables.create { disposals.add(1, ordering: .relaxed) }
          mayEnd.pass()
          // The end comes a little earlier or later.
          for _ in 0..<round % 50 { mayEnd.take() }
          return disposable
        }.subscribe()
        isOver.wait()
        subscription.dispose()
      }
      #expect(disposals.load(ordering: .relaxed) == 5000)
    }

    @Test func `end and are disposed at the same moment`() {
      for _ in 0..<300 {
        let other = ConcurrentDispatchQueueScheduler(qos: .default)
        let subscription = Observable.just(1).observe(on: other).map { $0 }.subscribe(onCompleted: {})
        subscription.dispose()
      }
    }

    @Test(arguments: [true, false])
    func `periodic work on a queue carries its state until it is disposed`(isSerial: Bool) async {
      let seen = Mutex<[Int]>([])
      let handle = SerialDisposable()
      nonisolated(unsafe) let work = handle
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let action: (Int) -> Int = { number in
          let isLast = seen.withLock { numbers in
            numbers.append(number)
            return numbers.count == 5
          }
          if isLast {
            work.dispose()
            continuation.resume()
          }
          return number + 1
        }
        let (start, period) = (RxTimeInterval.milliseconds(1), RxTimeInterval.microseconds(100))
        if isSerial {
          let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "periodic")
          handle.disposable = scheduler.schedulePeriodic(
            10, startAfter: start, period: period, action: action)
        } else {
          let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
          handle.disposable = scheduler.schedulePeriodic(
            10, startAfter: start, period: period, action: action)
        }
      }
      #expect(seen.withLock { Array($0.prefix(5)) } == [10, 11, 12, 13, 14])
    }

    @Test func `ticks of a concurrent queue come one at a time, however slow the observer`() async throws {
      let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
      let started = DispatchSemaphore(value: 0)
      let inside = Atomic<Int>(0)
      let overlaps = Atomic<Int>(0)
      let ticks = Observable<Int>.interval(.microseconds(200), scheduler: scheduler)
        .do(onNext: { _ in
          if inside.add(1, ordering: .acquiringAndReleasing).newValue > 1 {
            overlaps.add(1, ordering: .relaxed)
            started.signal()
          }
          // Long enough for further ticks; an overlapping one ends the wait.
          _ = started.wait(timeout: .now() + .milliseconds(5))
          inside.subtract(1, ordering: .acquiringAndReleasing)
        })
        .take(20).toArray()
      #expect(try await ticks.value == Array(0..<20))
      #expect(overlaps.load(ordering: .relaxed) == 0)
    }

    @Test func `a slow observer behind a delay does not hold up the source`() async {
      let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "delayed")
      nonisolated(unsafe) let subject = PublishSubject<Int>()
      let (isSlow, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let isOver = DispatchSemaphore(value: 0)
      let seen = Mutex<[String]>([])
      let subscription = subject.delay(.nanoseconds(1), scheduler: scheduler).subscribe(
        onNext: { number in
          isSlow.signal()
          let isFree = goOn.wait(timeout: .now() + .seconds(2)) == .success
          seen.withLock { $0.append(isFree ? "\(number)" : "held up") }
        },
        onError: { _ in
          seen.withLock { $0.append("error") }
          isOver.signal()
        })
      await onThread {
        subject.onNext(1)
        isSlow.wait()
        // The observer waits for what follows these.
        subject.onNext(2)
        subject.onError(RxError.unknown)
        goOn.signal()
        isOver.wait()
      }
      #expect(seen.withLock { $0 } == ["1", "error"])
      subscription.dispose()
    }

    /// Runs a body that blocks, on a thread of its own.
    private func onThread(_ body: @escaping @Sendable () -> Void) async {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          body()
          continuation.resume()
        }
      }
    }

    @Test func `work for later on a queue runs once, or not at all after a disposal`() async {
      let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "later")
      let count = Atomic<Int>(0)
      let never = scheduler.scheduleRelative((), dueTime: .seconds(3600)) { _ in
        count.add(100, ordering: .relaxed)
        return Disposables.create()
      }
      never.dispose()
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        _ = scheduler.scheduleRelative((), dueTime: .milliseconds(2)) { _ in
          count.add(1, ordering: .relaxed)
          continuation.resume()
          return Disposables.create()
        }
      }
      #expect(count.load(ordering: .relaxed) == 1)
    }
  }
}

/// Is passed once, from one thread to another, which is running.
private final class Baton: Sendable {
  private let isPassed = Atomic<Bool>(false)

  func pass() { isPassed.store(true, ordering: .releasing) }

  func take() { while !isPassed.load(ordering: .acquiring) {} }
}

/// Counts the elements that come while another one is taken.
private final class OverlapProbe: Sendable {
  let hasBegun = DispatchSemaphore(value: 0)
  let overlaps = Atomic<Int>(0)
  private let inside = Atomic<Int>(0)
  private let overlap = DispatchSemaphore(value: 0)

  func take() {
    if inside.add(1, ordering: .acquiringAndReleasing).newValue > 1 {
      overlaps.add(1, ordering: .relaxed)
      overlap.signal()
    } else {
      hasBegun.signal()
      // Long enough for the other one, whose coming ends the wait.
      _ = overlap.wait(timeout: .now() + .milliseconds(20))
    }
    inside.subtract(1, ordering: .acquiringAndReleasing)
  }
}
