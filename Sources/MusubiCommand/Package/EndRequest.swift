// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// Where the handler of a signal writes.
private let writing = Atomic<Int32>(-1)

/// Somebody asks this process to end, by SIGTERM, SIGINT or SIGHUP.
struct EndRequest {
  /// Readable from the request on.
  let descriptor: Int32

  /// Listens from now on, in the place of an earlier one.
  init() throws {
    let ends = try DescriptorPair.pipe()
    descriptor = ends.reading
    // The value is made here: the handler of a signal may not make it.
    let earlier = writing.exchange(ends.writing, ordering: .relaxed)
    if earlier >= 0 { close(earlier) }
    for number in [SIGTERM, SIGINT, SIGHUP] {
      signal(number) { _ in
        var byte: UInt8 = 1
        _ = write(writing.load(ordering: .relaxed), &byte, 1)
      }
    }
  }

  /// Whether it has come.
  var isThere: Bool { !Readiness.wait(for: [descriptor], atMost: .zero).isEmpty }
}
