// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import MusubiSQLite

@Suite struct `The decisions of a database queue` {
  @Test func `wake the thread once for all that comes while it works`() {
    var queue = WorkQueue<Int>(capacity: 10, batchSize: 10)

    #expect(queue.submit(1) == .wake)
    #expect(queue.submit(2) == .wait)
    #expect(queue.nextBatch() == [1, 2])
    #expect(queue.submit(3) == .wait)
    #expect(queue.nextBatch() == [3])
    #expect(queue.nextBatch() == [])
    #expect(queue.submit(4) == .wake)
  }

  @Test func `hand out at most one batch at a time, in order`() {
    var queue = WorkQueue<Int>(capacity: 10, batchSize: 2)
    for number in 1...5 { _ = queue.submit(number) }

    #expect(queue.nextBatch() == [1, 2])
    #expect(queue.nextBatch() == [3, 4])
    #expect(queue.nextBatch() == [5])
  }

  @Test func `refuse too much work, and take more when there is room`() {
    var queue = WorkQueue<Int>(capacity: 2, batchSize: 1)

    #expect(queue.submit(1) == .wake)
    #expect(queue.submit(2) == .wait)
    #expect(queue.submit(3) == .refuseFull)
    #expect(queue.nextBatch() == [1])
    #expect(queue.submit(4) == .wait)
  }

  @Test func `refuse everything once closed, but hand out what waits`() {
    var queue = WorkQueue<Int>(capacity: 2, batchSize: 1)
    _ = queue.submit(1)

    queue.close()

    #expect(queue.submit(2) == .refuseClosed)
    #expect(queue.nextBatch() == [1])
    #expect(queue.nextBatch() == [])
  }
}
