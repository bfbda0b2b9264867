// SPDX-License-Identifier: Apache-2.0

/// Memory in which the pieces of a frame are collected, forgotten, and collected again.
///
/// It is noncopyable: nobody else can see the memory, so that no write has to ask who does.
package struct ByteScratch: ~Copyable {
  private var memory: UnsafeMutableBufferPointer<UInt8>
  /// How many bytes have been written.
  package private(set) var count = 0

  /// More than this is not kept for the next time.
  static let maxKeptBytes = 8_192

  /// Nothing is written.
  package init() { memory = UnsafeMutableBufferPointer(start: nil, count: 0) }

  deinit { memory.deallocate() }

  /// What has been written, to be used before anything else is.
  package var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: memory.baseAddress, count: count)
  }

  /// Writes what is known to have at most so many bytes.
  @inline(__always)
  package mutating func append(atMost most: Int, _ body: (inout ReservedBytes) -> Void) {
    guard var writer = reserve(most) else { return }
    body(&writer)
    assert(writer.count <= most, "What is written is longer than was worked out.")
    count += writer.count
  }

  /// Writes bytes as they are.
  package mutating func append(_ bytes: [UInt8]) { append(atMost: bytes.count) { $0.raw(bytes) } }

  /// Forgets what has been written.
  package mutating func removeAll() {
    count = 0
    guard memory.count > Self.maxKeptBytes else { return }
    memory.deallocate()
    memory = UnsafeMutableBufferPointer(start: nil, count: 0)
  }

  private mutating func reserve(_ most: Int) -> ReservedBytes? {
    if memory.count - count < most { grow(by: most) }
    return memory.baseAddress.map { ReservedBytes($0 + count) }
  }

  private mutating func grow(by most: Int) {
    let capacity = max(2 * memory.count, count + most, 256)
    let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: capacity)
    _ = larger.update(fromContentsOf: memory[..<count])
    memory.deallocate()
    memory = larger
  }
}
