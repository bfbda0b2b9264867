// SPDX-License-Identifier: Apache-2.0

/// What a link connects with: a loop of another node.
struct LinkWay: Hashable {
  let node: Int64
  let loop: Int
}

/// An open link: frames in both directions, in order, each behind its length in 4 bytes (little endian).
final class NodeLink: WatchedSocketOwner {
  /// The longest frame, and the most that may wait to be sent.
  static let mostBytes = 33_554_432
  /// With more unsent bytes than `fullBytes` it does not flow; with fewer than `emptyBytes` it does again.
  static let fullBytes = 1_048_576
  static let emptyBytes = 262_144
  private static let headBytes = 4
  /// In the place of a length: the other's node is dead for all.
  private static let burial: UInt32 = .max

  let way: LinkWay
  let peer: LinkPeer
  /// When it was opened.
  let since: Duration
  /// Why it ends; nil while it is open.
  private(set) var end: String?
  private unowned let links: LoopLinks
  private let socket: WatchedSocket
  /// The beginning of a frame whose end has not arrived.
  private var arrived: [UInt8] = []
  /// What the kernel has not taken, behind `sentCount` bytes that it has.
  private var unsent: [UInt8] = []
  private var sentCount = 0
  private var isFlowing = true

  init(_ socket: WatchedSocket, _ way: LinkWay, _ peer: LinkPeer, _ links: LoopLinks) {
    self.socket = socket
    self.way = way
    self.peer = peer
    self.links = links
    since = links.loop.now
    socket.owner = self
    socket.watch(reading: true, writing: false)
  }

  /// Closes the socket: nothing is received any more, and what is sent is dropped.
  func close(_ reason: String) {
    if end == nil { end = reason }
    socket.close()
    (arrived, unsent, sentCount) = ([], [], 0)
  }

  /// The same, and it is told later: the caller may be in the midst of something.
  private func fail(_ reason: String) {
    guard end == nil else { return }
    close(reason)
    links.finishLater(self)
  }

  func ready(isReadable: Bool, isWritable: Bool) {
    if isWritable { flush() }
    if isReadable { receive() }
  }

  // MARK: - Receiving

  private func receive() {
    let buffer = links.core.receiveBuffer
    // A batch, so that one link does not keep the others waiting.
    for _ in 0..<16 where end == nil {
      let count = socket.receive(into: buffer)
      guard count >= 0 else { return }
      guard count > 0 else { return fail("the other end closed it") }
      take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      if count < buffer.count { return }
    }
  }

  private func take(_ bytes: UnsafeRawBufferPointer) {
    guard !arrived.isEmpty else {
      let used = takeFrames(of: bytes)
      if end == nil { arrived.append(contentsOf: bytes[used...]) }
      return
    }
    arrived.append(contentsOf: bytes)
    // The owner may close the link meanwhile.
    var whole: [UInt8] = []
    swap(&whole, &arrived)
    let used = whole.withUnsafeBytes { takeFrames(of: $0) }
    guard end == nil else { return }
    if used > 0 { whole.removeFirst(used) }
    arrived = whole
  }

  /// Hands whole frames over.
  ///
  /// - Returns: How many bytes those were.
  private func takeFrames(of bytes: UnsafeRawBufferPointer) -> Int {
    var start = 0
    while end == nil, bytes.count - start >= Self.headBytes {
      let head = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
      guard head != Self.burial else {
        links.buried()
        start += Self.headBytes
        continue
      }
      let length = Int(head)
      guard length <= Self.mostBytes else {
        fail("a frame of \(length) bytes came")
        break
      }
      let first = start + Self.headBytes
      guard bytes.count - first >= length else { break }
      start = first + length
      if !links.received(self, UnsafeRawBufferPointer(rebasing: bytes[first..<start])) {
        fail("what came was not understood")
      }
    }
    return start
  }

  // MARK: - Sending

  /// Sends a frame, or keeps it until the kernel takes it; that it does not flow any more is told at once.
  func send(_ bytes: [UInt8]) {
    guard end == nil else { return }
    guard unsentCount + bytes.count <= Self.mostBytes else {
      return fail("\(unsentCount + bytes.count) bytes waited to be sent")
    }
    let wasEmpty = unsent.isEmpty
    unsent.reserveCapacity(unsent.count + Self.headBytes + bytes.count)
    unsent.appendLittleEndian(bytes.count, Self.headBytes)
    unsent += bytes
    if wasEmpty { flush() }
    if isFlowing, unsentCount > Self.fullBytes { setFlowing(false) }
  }

  /// Says that the other's node is dead for all.
  func sendBurial() {
    guard end == nil else { return }
    unsent.appendLittleEndian(Int(Self.burial), Self.headBytes)
    flush()
  }

  private var unsentCount: Int { unsent.count - sentCount }

  private func flush() {
    while unsentCount > 0 {
      let count = unsent.withUnsafeBytes { socket.send(UnsafeRawBufferPointer(rebasing: $0[sentCount...])) }
      guard count >= 0 else { return fail("it broke") }
      guard count > 0 else { break }
      sentCount += count
    }
    dropSent()
    socket.watch(reading: true, writing: unsentCount > 0)
    if !isFlowing, unsentCount < Self.emptyBytes { setFlowing(true) }
  }

  private func dropSent() {
    if unsentCount == 0 {
      // An idle link has no buffer.
      unsent.removeAll(keepingCapacity: unsent.capacity <= 65_536)
      sentCount = 0
    } else if sentCount >= Self.fullBytes, sentCount * 2 >= unsent.count {
      unsent.removeFirst(sentCount)
      sentCount = 0
    }
  }

  private func setFlowing(_ isFlowing: Bool) {
    self.isFlowing = isFlowing
    links.flows(self, isFlowing)
  }
}
