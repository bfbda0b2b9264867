// SPDX-License-Identifier: Apache-2.0

/// Bytes that grow while JSON and frames are written to them.
///
/// Each write asks for room, in release too, and takes larger memory if there is none: how long a frame gets depends on
/// texts from outside, so nobody has to work that out in advance, and no mistake in doing so writes elsewhere.
///
/// It is noncopyable: nobody else sees the memory, so no write asks who does. `[UInt8]` in its place takes 1.8 times
/// the instructions for an acknowledgement.
package struct ByteBuffer: ~Copyable {
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// How many bytes have been written.
  package private(set) var count = 0

  private static let firstCapacity = 256
  /// Memory above this is not kept for the next time.
  private static let maxKeptBytes = 8_192

  /// Nothing is written.
  package init() {
    capacity = Self.firstCapacity
    start = .allocate(capacity: capacity)
  }

  deinit { start.deallocate() }

  /// Whether nothing is written.
  package var isEmpty: Bool { count == 0 }

  /// The bytes, to be used before anything else is written.
  package var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

  /// A byte that is written.
  @inline(__always)
  package subscript(index: Int) -> UInt8 {
    get {
      precondition(index >= 0 && index < count, "There is no such byte.")
      return start[index]
    }
    set {
      precondition(index >= 0 && index < count, "There is no such byte.")
      start[index] = newValue
    }
  }

  /// Appends one byte.
  @inline(__always)
  package mutating func append(_ byte: UInt8) {
    reserve(1)
    start[count] = byte
    count += 1
  }

  /// Appends bytes.
  @inline(__always)
  package mutating func append(contentsOf bytes: UnsafeBufferPointer<UInt8>) {
    guard let first = bytes.baseAddress else { return }
    reserve(bytes.count)
    (start + count).update(from: first, count: bytes.count)
    count += bytes.count
  }

  /// Appends bytes.
  @inline(__always)
  package mutating func append(contentsOf bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
  }

  /// Appends bytes whose values follow; what they are until then is open.
  mutating func appendRoom(_ more: Int) {
    reserve(more)
    count += more
  }

  /// Lends the bytes from a place on, to be changed.
  mutating func withMutableBytes(from place: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    precondition(place >= 0 && place <= count, "There is no such place.")
    body(UnsafeMutableRawBufferPointer(start: start + place, count: count - place))
  }

  /// Moves the bytes from a place on, so that the place is another one.
  mutating func moveTail(from old: Int, to new: Int) {
    precondition(old >= 0 && old <= count && new >= 0, "There is no such place.")
    let length = count - old
    reserve(max(0, new - old))
    (start + new).update(from: start + old, count: length)
    count = new + length
  }

  /// Forgets the bytes; memory for a usual frame is kept.
  package mutating func removeAll() {
    count = 0
    guard capacity > Self.maxKeptBytes else { return }
    start.deallocate()
    capacity = Self.firstCapacity
    start = .allocate(capacity: capacity)
  }

  @inline(__always)
  private mutating func reserve(_ more: Int) {
    if more > capacity - count { grow(by: more) }
  }

  @inline(never)
  private mutating func grow(by more: Int) {
    capacity = max(2 * capacity, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: start, count: count)
    start.deallocate()
    start = larger
  }
}

extension [UInt8] {
  /// Copies what a buffer holds.
  package init(_ buffer: borrowing ByteBuffer) { self.init(buffer.bytes) }

  /// What is written into a buffer.
  package init(writing write: (inout ByteBuffer) -> Void) {
    var buffer = ByteBuffer()
    write(&buffer)
    self.init(buffer)
  }
}

extension String {
  /// The text that is written into a buffer, such as JSON.
  package init(writing write: (inout ByteBuffer) -> Void) {
    var buffer = ByteBuffer()
    write(&buffer)
    self.init(decoding: buffer.bytes, as: UTF8.self)
  }
}
