// SPDX-License-Identifier: Apache-2.0

#if DEBUG
  internal import Synchronization

  /// Finds events that overlap: one arrives while another is still being delivered.
  ///
  /// On one loop that is re-entrance; it works, but observers may see the newer element before the older. From two
  /// threads it is a race, and stops the program.
  struct OverlapDetector {
    private var depth = 0
    private var thread: UInt = 0

    mutating func enter() {
      let current = ThreadContext.identity
      if depth > 0 {
        if thread != current {
          preconditionFailure(
            """
            An observable is used from two threads at once. A chain belongs to one loop: let the work come back by \
            observe(on:) or by an async bridge.
            """)
        }
        OverlapWarning.printOnce()
      }
      thread = current
      depth += 1
    }

    mutating func leave() { depth -= 1 }
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
