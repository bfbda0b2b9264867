// SPDX-License-Identifier: Apache-2.0

import Foundation
import MusubiRx
import Synchronization
import Testing

/// A loop of one thread, which a test suspends.
private final class RestingLoop: LoopScheduler, SuspendableScheduler {
  private var parts: [any Suspendable] = []
  private var isSuspended = false
  /// How often somebody wanted work done.
  private(set) var scheduled = 0
  /// Work on its way to the loop; nil if it runs at once.
  private var waiting: [() -> Void]?

  var now: RxTime { RxTime(timeIntervalSince1970: 0) }
  var count: Int { parts.count }

  func attach(_ part: any Suspendable) {
    parts.append(part)
    if isSuspended { part.suspend() }
  }

  func detach(_ part: any Suspendable) { parts.removeAll { $0 === part } }

  func suspend() {
    isSuspended = true
    for part in parts { part.suspend() }
  }

  func resume() {
    isSuspended = false
    for part in parts { part.resume() }
  }

  /// Lets work wait while a body runs, and for the next call of `run`.
  func hold(_ body: () -> Void) {
    waiting = []
    body()
  }

  func run() {
    let work = waiting ?? []
    waiting = nil
    for work in work { work() }
  }

  func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
    scheduled += 1
    guard waiting != nil else { return action(state) }
    waiting?.append { _ = action(state) }
    return Disposables.create()
  }

  func scheduleRelative<State>(
    _ state: State, dueTime: RxTimeInterval, action: @escaping (State) -> any Disposable
  ) -> any Disposable { Disposables.create() }
}

extension ReactiveCore {
  @Suite(.timeLimit(.minutes(5))) struct `A shared relay` {
    @Test func `tells where it is made, unless each server fills its own`() {
      _ = SharedRelay(value: 1, file: "Tea/Tea.swift", line: 7)
      _ = SharedRelay<Int>(file: "Tea/Tea.swift", line: 8)
      _ = SharedRelay(value: 1, isPerServer: true, file: "Tea/Tea.swift", line: 9)

      #expect(
        SharedRelayPlaces.all.filter { $0.hasPrefix("Tea/") } == ["Tea/Tea.swift:7", "Tea/Tea.swift:8"])
    }

    private let loop = RestingLoop()

    private final class Log {
      var numbers: [Int] = []
    }

    private func subscribe(_ relay: SharedRelay<Int>, _ log: Log) -> any Disposable {
      LoopContext.with(loop) { relay.asObservable().subscribe(onNext: { log.numbers.append($0) }) }
    }

    @Test func `delivers an unchanged value to nobody, and an event each time`() {
      let (values, events) = (SharedRelay(value: 0), SharedRelay<Int>())
      let (valueLog, eventLog) = (Log(), Log())
      let bag = [subscribe(values, valueLog), subscribe(events, eventLog)]
      for number in [0, 1, 1, 2, 2, 1] {
        values.accept(number)
        events.accept(number)
      }

      #expect(valueLog.numbers == [0, 1, 2, 1])
      #expect(eventLog.numbers == [0, 1, 1, 2, 2, 1])
      bag.forEach { $0.dispose() }
    }

    @Test func `delivers each event, also behind one that was accepted meanwhile`() {
      let events = SharedRelay<Int>()
      let log = Log()
      let first = LoopContext.with(loop) {
        events.asObservable().subscribe(onNext: { if $0 == 1 { events.accept(2) } })
      }
      let second = subscribe(events, log)

      events.accept(1)

      #expect(log.numbers == [2, 1])
      for subscription in [first, second] { subscription.dispose() }
    }

    @Test func `gives who rests the newest value alone, once, and each event`() {
      let (values, events) = (SharedRelay(value: 0), SharedRelay<Int>())
      let (valueLog, eventLog) = (Log(), Log())
      let bag = [subscribe(values, valueLog), subscribe(events, eventLog)]
      loop.suspend()
      for number in 1...3 {
        values.accept(number)
        events.accept(number)
      }
      #expect(valueLog.numbers == [0] && eventLog.numbers == [1, 2, 3])
      #expect(loop.scheduled == 3, "The values do not even come to its loop.")

      loop.resume()
      #expect(valueLog.numbers == [0, 3])
      loop.suspend()
      loop.resume()
      #expect(valueLog.numbers == [0, 3])
      values.accept(4)
      #expect(valueLog.numbers == [0, 3, 4])
      bag.forEach { $0.dispose() }
      #expect(loop.count == 0)
      values.accept(5)
      #expect(valueLog.numbers == [0, 3, 4])
    }

    @Test func `delivers nothing twice that was on its way when its subscriber went to rest`() {
      let values = SharedRelay(value: 0)
      let log = Log()
      let subscription = subscribe(values, log)
      loop.hold {
        values.accept(1)
        values.accept(2)
      }
      loop.suspend()
      loop.resume()
      #expect(log.numbers == [0, 2])
      loop.run()
      #expect(log.numbers == [0, 2])

      loop.hold { values.accept(3) }
      loop.suspend()
      loop.run()
      #expect(log.numbers == [0, 2])
      loop.resume()
      #expect(log.numbers == [0, 2, 3])
      subscription.dispose()
    }

    @Test func `gives who subscribes while it rests the value of then, and then the newest`() {
      let values = SharedRelay(value: 0)
      let log = Log()
      loop.suspend()
      let subscription = subscribe(values, log)
      values.accept(1)
      values.accept(2)
      #expect(log.numbers == [0])

      loop.resume()
      #expect(log.numbers == [0, 2])
      subscription.dispose()
      loop.suspend()
      loop.resume()
      #expect(log.numbers == [0, 2])
    }

    @Test func `delivers in the order of subscription, whoever rested meanwhile`() {
      let values = SharedRelay(value: 0)
      let (log, other) = (Log(), RestingLoop())
      var order: [String] = []
      let first = LoopContext.with(other) {
        values.asObservable().subscribe(onNext: { order.append("first \($0)") })
      }
      let second = LoopContext.with(loop) {
        values.asObservable().subscribe(onNext: { order.append("second \($0)") })
      }
      let third = subscribe(values, log)
      other.suspend()
      values.accept(1)
      other.resume()
      order = []
      values.accept(2)

      #expect(order == ["first 2", "second 2"] && log.numbers == [0, 1, 2])
      for subscription in [second, first, third] { subscription.dispose() }
      values.accept(3)
      #expect(order == ["first 2", "second 2"] && log.numbers == [0, 1, 2])
    }

    @Test func `updates in one step, returns what the closure returns, and delivers what changes`() {
      let values = SharedRelay(value: 1)
      let log = Log()
      let subscription = subscribe(values, log)

      let text = values.update { number in
        number += 1
        return "was \(number - 1)"
      }
      values.update { $0 += 0 }
      values.update { $0 *= 5 }

      #expect(text == "was 1")
      #expect(log.numbers == [1, 2, 10])
      subscription.dispose()
    }

    @Test func `is left as it was by an update that throws`() {
      let values = SharedRelay(value: 1)
      let log = Log()
      let subscription = subscribe(values, log)

      #expect(throws: RxError.self) {
        try values.update { number in
          number = 7
          throw RxError.timeout
        }
      }
      #expect(values.value == 1 && log.numbers == [1])

      values.update { $0 += 1 }
      #expect(values.value == 2 && log.numbers == [1, 2])
      subscription.dispose()
    }

    @Test func `is updated from within a delivery, and shows the newest to who is told later`() {
      let values = SharedRelay(value: 0)
      let log = Log()
      let first = LoopContext.with(loop) {
        values.asObservable().subscribe(onNext: { number in
          if number < 3, number > 0 { values.update { $0 += 1 } }
        })
      }
      let second = subscribe(values, log)

      values.update { $0 += 1 }

      #expect(values.value == 3)
      #expect(log.numbers == [0, 3], "A value that a newer one has overtaken is not shown any more.")
      for subscription in [first, second] { subscription.dispose() }
    }

    @Test func `tells who subscribed on no loop one element at a time, and none that is overtaken`() async {
      let values = SharedRelay(value: 0)
      let updates = 5_000
      let inside = Atomic(0)
      let overlaps = Atomic(0)
      let seen = Mutex<[Int]>([])
      let counting = (1...2).map { _ in
        Task.detached { for _ in 0..<updates { values.update { $0 += 1 } } }
      }
      let subscription = values.asObservable().subscribe(onNext: { number in
        if inside.add(1, ordering: .acquiringAndReleasing).newValue > 1 {
          overlaps.add(1, ordering: .relaxed)
        }
        seen.withLock { $0.append(number) }
        inside.subtract(1, ordering: .acquiringAndReleasing)
      })
      for task in counting { await task.value }
      subscription.dispose()

      let numbers = seen.withLock { $0 }
      #expect(overlaps.load(ordering: .relaxed) == 0)
      #expect(numbers.last == 2 * updates)
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "They come in their order.")
    }

    @Test func `loses no update of two loops that count at once`() async {
      let values = SharedRelay(value: 0)
      let updates = 20_000
      let loops = (1...2).map { SerialDispatchQueueScheduler(internalSerialQueueName: "loop \($0)") }
      let seen = await withTaskGroup(of: [Int].self) { group in
        for loop in loops {
          let loop = Carried(loop)
          group.addTask {
            await Self.count(values, to: loops.count * updates, by: updates, on: loop.element)
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }

      #expect(values.value == loops.count * updates)
      for numbers in seen {
        #expect(numbers.last == loops.count * updates)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "They come in their order.")
      }
    }

    /// Counts up on a loop.
    ///
    /// - Returns: What the loop has seen when the relay has come to the total.
    private static func count(
      _ values: SharedRelay<Int>, to total: Int, by updates: Int, on loop: SerialDispatchQueueScheduler
    ) async -> [Int] {
      await withCheckedContinuation { continuation in
        _ = loop.schedule(()) { _ in
          let (log, subscription) = (Log(), SerialDisposable())
          LoopContext.with(loop) {
            subscription.disposable = values.asObservable().subscribe(onNext: { number in
              log.numbers.append(number)
              guard number == total else { return }
              subscription.dispose()
              continuation.resume(returning: log.numbers)
            })
          }
          for _ in 0..<updates { values.update { $0 += 1 } }
          return Disposables.create()
        }
      }
    }
  }
}
