// SPDX-License-Identifier: Apache-2.0

/// Decides the next step of a database queue: a state machine without thread and file.
struct WorkQueue<Work> {
  /// What happens with a submitted work.
  enum Admission: Equatable {
    /// It waits, and the database thread must be woken.
    case wake
    /// It waits; the thread is at work and will come to it.
    case wait
    /// Too many works wait; it is not taken.
    case refuseFull
    /// The queue is closed; it is not taken.
    case refuseClosed
  }

  private enum State {
    /// Nothing waits, nothing runs.
    case idle
    /// The thread was woken and has not found the queue empty since.
    case running
  }

  private let capacity: Int
  private let batchSize: Int
  private var state = State.idle
  private var isClosed = false
  private var waiting: [Work] = []

  /// An open, empty queue.
  ///
  /// - Parameters:
  ///   - capacity: The most works that wait; at least 1.
  ///   - batchSize: The most works that are handed out together; at least 1.
  init(capacity: Int, batchSize: Int) {
    precondition(capacity > 0 && batchSize > 0, "A queue holds and hands out at least one work.")
    self.capacity = capacity
    self.batchSize = batchSize
  }

  /// Takes or refuses a work.
  mutating func submit(_ work: Work) -> Admission {
    guard !isClosed else { return .refuseClosed }
    guard waiting.count < capacity else { return .refuseFull }
    waiting.append(work)
    switch state {
    case .idle:
      state = .running
      return .wake
    case .running: return .wait
    }
  }

  /// Hands out what waits, in the order of its arrival; empty if the thread may rest.
  mutating func nextBatch() -> [Work] {
    guard !waiting.isEmpty else {
      state = .idle
      return []
    }
    let batch = Array(waiting.prefix(batchSize))
    waiting.removeFirst(batch.count)
    return batch
  }

  /// Takes nothing from now on; what waits is still handed out.
  mutating func close() { isClosed = true }
}
