// SPDX-License-Identifier: Apache-2.0

#if DEBUG
  internal import Synchronization

  /// Finds uses of a source that overlap: one begins while another is under way.
  ///
  /// On one loop an event inside of another works, but observers may see the newer element before the older. From two
  /// threads it is a race, and stops the program, also if one of them subscribes or disposes.
  struct OverlapDetector: ~Copyable {
    /// The thread that uses the source; 0 if none does.
    private let user = Atomic<UInt>(0)
    private var depth = 0
    private var events = 0

    mutating func enter(isEvent: Bool) {
      let current = UInt(bitPattern: ObjectIdentifier(ThreadContext.current))
      let (isFirst, other) = user.compareExchange(
        expected: 0, desired: current, ordering: .acquiringAndReleasing)
      if !isFirst && other != current {
        preconditionFailure(
          """
          An observable is used from two threads at once. A chain belongs to one loop, which subscribes, sends and \
          disposes: let the work come back by observe(on:) or by an async bridge.
          """)
      }
      depth += 1
      guard isEvent else { return }
      if events > 0 { OverlapWarning.printOnce() }
      events += 1
    }

    mutating func leave(isEvent: Bool) {
      if isEvent { events -= 1 }
      depth -= 1
      if depth == 0 { user.store(0, ordering: .releasing) }
    }
  }

  /// Says once per process that events overlapped.
  enum OverlapWarning {
    private static let isPrinted = Atomic<Bool>(false)

    static func printOnce() {
      guard !isPrinted.exchange(true, ordering: .relaxed) else { return }
      print(
        """
        Overlapping events: an observer sent an element into a subject that was still delivering one, so later \
        observers get the newer element first. If that matters, break the cycle, or put \
        .observe(on: MainScheduler.asyncInstance) into it. (Said once; debug builds only.)
        """)
    }
  }
#endif
