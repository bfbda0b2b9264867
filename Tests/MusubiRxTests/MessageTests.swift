// SPDX-License-Identifier: Apache-2.0

import Dispatch
import MusubiRx
import Testing

#if DEBUG
  /// The last words of a debug build, or its prints: each case runs in a process of its own.
  @Suite(.timeLimit(.minutes(5))) struct `Messages of a debug build` {
    @Test func `a chain that two threads use without a boundary stops with the remedy`() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        nonisolated(unsafe) let subject = PublishSubject<Int>()
        _ = subject.subscribe(onNext: { element in
          guard element == 1 else { return }
          let other = DispatchSemaphore(value: 0)
          DispatchQueue.global().async {
            subject.onNext(2)
            other.signal()
          }
          other.wait()
        })
        subject.onNext(1)
      }
      let message = text(result?.standardErrorContent)
      #expect(message.contains("used from two threads at once"))
      #expect(message.contains("observe(on:)"))
    }

    @Test func `a driver refuses a subscriber on a foreign thread`() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        nonisolated(unsafe) let driver = Driver.just(1)
        let other = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
          _ = driver.drive()
          other.signal()
        }
        other.wait()
      }
      let message = text(result?.standardErrorContent)
      #expect(message.contains("A Driver or Signal belongs to the loop"))
    }

    @Test func `a signal refuses a subscriber on a foreign thread`() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        nonisolated(unsafe) let signal = Signal.just(1)
        let other = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
          _ = signal.emit(onNext: { _ in })
          other.signal()
        }
        other.wait()
      }
      let message = text(result?.standardErrorContent)
      #expect(message.contains("subscribe to it there, or use observe(on:) first"))
    }

    @Test func `a source to which a second thread subscribes meanwhile stops`() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        nonisolated(unsafe) let subject = PublishSubject<Int>()
        _ = subject.subscribe(onNext: { _ in
          let other = DispatchSemaphore(value: 0)
          DispatchQueue.global().async {
            _ = subject.map { $0 }.subscribe()
            other.signal()
          }
          other.wait()
        })
        subject.onNext(1)
      }
      let message = text(result?.standardErrorContent)
      #expect(message.contains("used from two threads at once"))
    }

    @Test func `a source from which a second thread takes a subscriber meanwhile stops`() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        nonisolated(unsafe) let subject = PublishSubject<Int>()
        nonisolated(unsafe) let subscription = subject.map { $0 }.subscribe()
        _ = subject.subscribe(onNext: { _ in
          let other = DispatchSemaphore(value: 0)
          DispatchQueue.global().async {
            subscription.dispose()
            other.signal()
          }
          other.wait()
        })
        subject.onNext(1)
      }
      let message = text(result?.standardErrorContent)
      #expect(message.contains("used from two threads at once"))
    }

    @Test func `the same chain through a boundary works`() async throws {
      await #expect(processExitsWith: .success) {
        nonisolated(unsafe) let subject = PublishSubject<Int>()
        nonisolated(unsafe) var seen = 0
        let other = DispatchSemaphore(value: 0)
        let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "other")
        let subscription = subject.observe(on: queue).subscribe(onNext: {
          seen += $0
          other.signal()
        })
        subject.onNext(1)
        subject.onNext(2)
        other.wait()
        other.wait()
        subscription.dispose()
        precondition(seen == 3)
      }
    }

    @Test func `overlapping events are told once, with the remedy`() async throws {
      let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        let subject = PublishSubject<Int>()
        let subscription = subject.subscribe(onNext: { if $0 < 3 { subject.onNext($0 + 1) } })
        subject.onNext(1)
        subscription.dispose()
      }
      let message = text(result?.standardOutputContent)
      #expect(message.contains("Overlapping events: an observer sent an element into a subject"))
      #expect(message.contains(".observe(on: MainScheduler.asyncInstance)"))
      #expect(message.split(separator: "Overlapping events").count == 1)
    }

    @Test func `debug prints each event with its name`() async throws {
      let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        _ = Observable.of("short", String(repeating: "x", count: 60)).debug("words", trimOutput: true)
          .subscribe()
        _ = Observable<Int>.error(TestError.b).debug("failing").catchAndReturn(0).subscribe()
        Observable<Int>.never().debug().subscribe().dispose()
      }
      let lines = text(result?.standardOutputContent).split(separator: "\n").map {
        String($0.split(separator: ": ", maxSplits: 1).last ?? "")
      }
      #expect(lines.contains("words -> subscribed"))
      #expect(lines.contains("words -> Event next(short)"))
      #expect(lines.contains("words -> Event next(xxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxx)"))
      #expect(lines.contains("words -> Event completed"))
      #expect(lines.contains("words -> isDisposed"))
      #expect(lines.contains("failing -> Event error(b)"))
      #expect(lines.contains { $0.hasPrefix("MessageTests.swift:") && $0.hasSuffix("-> isDisposed") })
    }

    private func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }
  }
#endif
