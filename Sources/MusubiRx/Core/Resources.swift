// SPDX-License-Identifier: Apache-2.0

#if DEBUG
  internal import Synchronization

  private let counter = Atomic<Int>(0)
#endif

/// Counts the living observables and subscriptions in debug builds, so that tests find leaks.
public enum Resources {
  /// How many are alive in this process now; always 0 in release builds.
  public static var total: Int32 {
    #if DEBUG
      Int32(truncatingIfNeeded: counter.load(ordering: .relaxed))
    #else
      0
    #endif
  }

  #if DEBUG
    static func increment() { counter.add(1, ordering: .relaxed) }
    static func decrement() { counter.subtract(1, ordering: .relaxed) }
  #endif
}
