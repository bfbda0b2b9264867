// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import Synchronization
import Testing

extension ReactiveCore {
  /// The bridges to `async` code: whoever reads may leave at any moment, from any thread.
  @Suite(.timeLimit(.minutes(5))) struct `Bridges to asynchronous code` {
    private typealias Stream = any AsyncSequence<Int, any Error> & Sendable

    /// Elements of a source that belongs to a loop, as streams that tasks read.
    private static let streams: [@Sendable (PublishSubject<Int>) -> Stream] = [
      { $0.values },
      { $0.asInfallible(onErrorJustReturn: 0).values.throwing },
      { $0.asDriver(onErrorJustReturn: 0).values.throwing },
      { $0.map { $0 + 1 }.share(replay: 1).values },
      { subject in subject.flatMapLatest { subject.startWith($0) }.values },
      { $0.observe(on: ConcurrentDispatchQueueScheduler(qos: .default)).values },
    ]

    @Test(arguments: streams.indices)
    func `a reader leaves while the loop sends`(index: Int) async {
      let loop = QueueLoop()
      nonisolated(unsafe) let subject = PublishSubject<Int>()
      let sender = Sender { loop.run { for number in 0..<20 { subject.onNext(number) } } }
      for round in 0..<200 {
        let stream = loop.run { Self.streams[index](subject) }
        await read(stream, breaksAfter: round % 3 == 0 ? 5 : nil)
      }
      await sender.stop()
      // Work that the loop had by then has had its turn.
      while loop.run({ subject.hasObservers }), !Task.isCancelled { await Task.yield() }
    }

    @Test(arguments: streams.indices)
    func `a reader leaves while a task sends, which has no loop to go back to`(index: Int) async {
      let subject = PublishSubject<Int>()
      for round in 0..<200 {
        let stream = Self.streams[index](subject)
        let hasLeft = Flag()
        Task {
          await read(stream, breaksAfter: round % 3 == 0 ? 5 : nil)
          hasLeft.raise()
        }
        while !hasLeft.isUp, !Task.isCancelled {
          for number in 0..<20 { subject.onNext(number) }
          await Task.yield()
        }
      }
      // A source lets go of who has left with its next element.
      while subject.hasObservers, !Task.isCancelled {
        subject.onNext(0)
        await Task.yield()
      }
    }

    /// Reads a stream in a task, which leaves by itself, or is cancelled soon after its first element.
    private func read(_ stream: Stream, breaksAfter limit: Int?) async {
      let hasRead = Flag()
      let reader = Task.detached {
        var count = 0
        for try await _ in stream {
          hasRead.raise()
          count += 1
          if count == limit { break }
        }
      }
      if limit == nil {
        while !hasRead.isUp, !Task.isCancelled { await Task.yield() }
        reader.cancel()
      }
      _ = await reader.result
    }

    /// Waits for an element that never comes.
    private static let waits: [@Sendable (Observable<Int>) async throws -> Void] = [
      { _ = try await $0.filter { $0 < 0 }.asSingle().value },
      { _ = try await $0.filter { $0 < 0 }.asMaybe().value },
      { try await $0.ignoreElements().asCompletable().value },
      { _ = try await $0.asDriver(onErrorJustReturn: 0).asObservable().filter { $0 < 0 }.asSingle().value },
      { _ = try await $0.asInfallible(onErrorJustReturn: 0).asObservable().ignoreElements().asMaybe().value },
    ]

    @Test(arguments: waits.indices) func `a wait is cancelled while a queue delivers`(index: Int) async {
      for _ in 0..<200 {
        let hasBegun = Flag()
        let waiting = Task.detached {
          let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "ticks")
          let ticks = Observable<Int>.interval(.microseconds(10), scheduler: queue)
            .do(onNext: { _ in hasBegun.raise() })
          try await Self.waits[index](ticks)
        }
        while !hasBegun.isUp, !Task.isCancelled { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
      }
    }

    @Test func `an answer of a task and a disposal meet`() async {
      for _ in 0..<1000 {
        let single = Single<[Int]>.create { [1, 2, 3] }
        let subscription = single.subscribe(onSuccess: { #expect($0 == [1, 2, 3]) })
        await Task.yield()
        subscription.dispose()
        let numbers = AsyncStream<Int> { continuation in
          for number in 0..<3 { continuation.yield(number) }
          continuation.finish()
        }
        let other = numbers.asObservable().subscribe(onNext: { #expect($0 < 3) })
        await Task.yield()
        other.dispose()
      }
    }

    @Test func `a reader that leaves disposes of a source that is silent`() async {
      let isDisposed = Flag()
      let stream = Observable<Int>.create { _ in Disposables.create { isDisposed.raise() } }.values
      let reader = Task.detached { for try await _ in stream {} }
      reader.cancel()
      _ = await reader.result
      #expect(isDisposed.isUp)
    }

    @Test func `a reader that is cancelled gets an error, not an end`() async {
      let stream = Observable<Int>.never().values
      let reader = Task.detached { for try await _ in stream {} }
      reader.cancel()
      await #expect(throws: CancellationError.self) { try await reader.value }
    }

    @Test func `a driver's reader that is cancelled comes to its end`() async {
      let stream = Driver<Int>.never().values
      let reader = Task.detached { for await _ in stream {} }
      reader.cancel()
      await reader.value
    }

    @Test func `a task that is cancelled already gets the value at hand`() async throws {
      let cancelled = Task.detached {
        while !Task.isCancelled { await Task.yield() }
        var first: [Int] = []
        for try await number in Observable.of(1, 2).values {
          first.append(number)
          break
        }
        let maybe = try await Maybe.just(3).value
        return try await first + [Single.just(2).value, maybe ?? 0]
      }
      cancelled.cancel()
      #expect(try await cancelled.value == [1, 2, 3])
    }

    @Test func `a task that is cancelled already does not wait for a value`() async {
      let isDisposed = Flag()
      let cancelled = Task.detached {
        while !Task.isCancelled { await Task.yield() }
        return try await Single<Int>.create { _ in Disposables.create { isDisposed.raise() } }.value
      }
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      #expect(isDisposed.isUp)
    }

    @Test func `a sequence is read with the priority that is asked for`() async throws {
      let numbers = AsyncStream<TaskPriority> { Task.currentPriority }
      #expect(try await numbers.asObservable(priority: .low).take(1).toArray().value == [.low])
    }

    @Test func `a sequence that is cancelled completes`() async throws {
      let numbers = AsyncThrowingStream<Int, any Error> { continuation in
        continuation.yield(1)
        continuation.finish(throwing: CancellationError())
      }
      #expect(try await numbers.asObservable().toArray().value == [1])
    }
  }
}

/// Sends again and again, on a thread of its own.
private struct Sender {
  private let task: Task<Void, Never>

  init(_ send: @escaping @Sendable () -> Void) {
    task = Task.detached {
      while !Task.isCancelled {
        send()
        await Task.yield()
      }
    }
  }

  func stop() async {
    task.cancel()
    await task.value
  }
}

/// Is raised once, and seen from any thread.
private final class Flag: Sendable {
  private let state = Atomic<Bool>(false)

  var isUp: Bool { state.load(ordering: .acquiring) }

  func raise() { state.store(true, ordering: .releasing) }
}

extension AsyncSequence where Self: Sendable, Failure == Never, Element: Sendable {
  /// The same elements, as a sequence that might fail.
  fileprivate var throwing: AsyncThrowingMapSequence<Self, Element> {
    map { element throws in element }
  }
}
