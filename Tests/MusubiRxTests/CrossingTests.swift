// SPDX-License-Identifier: Apache-2.0

import Dispatch
import MusubiRx
import Synchronization
import Testing

@Suite struct `Crossings between queues` {
  @Test func `survive a disposal from another thread while they deliver`() {
    let received = Atomic<Int>(0)
    for _ in 0..<300 {
      let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "crossing")
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

  @Test func `end and are disposed at the same moment`() {
    for _ in 0..<300 {
      let other = ConcurrentDispatchQueueScheduler(qos: .default)
      let subscription = Observable.just(1).observe(on: other).map { $0 }.subscribe(onCompleted: {})
      subscription.dispose()
    }
  }
}
