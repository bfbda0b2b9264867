// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif
internal import Synchronization

private let recursive = Int32(PTHREAD_MUTEX_RECURSIVE)

/// A lock for the few objects that queues share with a loop; its owner may take it again.
final class Lock {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, recursive)
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  @inline(__always) func with<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }
}

/// How many events are on their way from other threads.
final class InFlightCount: Sendable {
  private let count = Atomic<Int>(0)

  var isZero: Bool { count.load(ordering: .acquiring) == 0 }

  func increase() { count.add(1, ordering: .acquiringAndReleasing) }
  func decrease() { count.subtract(1, ordering: .acquiringAndReleasing) }
}
