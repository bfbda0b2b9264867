// SPDX-License-Identifier: Apache-2.0

/// What each end of a link says first.
///
/// The end that connects says it first, the other one answers; then each proves, in the same order, that it
/// has the secret: by a code over both hellos, whose nonces nobody has seen before.
///
///     magic 8 bytes, version 2, length of the rest 2,
///     from 8, to 8, from's loop 2, to's loop 2, from's number of loops 2, nonce 16, build in UTF-8
///
/// Numbers are little endian.
struct LinkHello: Equatable {
  static let magic = Array("musubiLk".utf8)
  static let version = 1
  /// The magic, the version and the length: what every version begins with.
  static let headBytes = 12
  /// The longest hello.
  static let mostBytes = 1_024
  /// The length of a proof.
  static let proofBytes = 32
  private static let fixedBytes = 38

  var version = LinkHello.version
  /// The incarnation of who speaks, and of whom it means.
  var from, to: Int64
  /// The loops that the link is to connect.
  var fromLoop, toLoop: Int
  /// How many loops the speaker has.
  var loops: Int
  /// 16 bytes that nobody could have known.
  var nonce: [UInt8]
  /// Which program speaks.
  var build: String

  /// The hello in bytes.
  var encoded: [UInt8] {
    let build = Array(self.build.utf8.prefix(255))
    var bytes = Self.magic
    bytes.appendLittleEndian(version, 2)
    bytes.appendLittleEndian(Self.fixedBytes + build.count, 2)
    bytes.appendLittleEndian(from, 8)
    bytes.appendLittleEndian(to, 8)
    for number in [fromLoop, toLoop, loops] { bytes.appendLittleEndian(number, 2) }
    return bytes + nonce + build
  }

  /// How long a hello is that begins so; nil if it is none.
  static func byteCount(head: [UInt8]) -> Int? {
    guard head.count == headBytes, head.starts(with: magic) else { return nil }
    let count = headBytes + Int(head.littleEndian(10, 2))
    return count <= mostBytes ? count : nil
  }

  /// The version in the head of a hello.
  static func version(head: [UInt8]) -> Int { Int(head.littleEndian(8, 2)) }
}

extension LinkHello {
  /// Reads a whole hello of this version; nil if it is none.
  init?(encoded bytes: [UInt8]) {
    guard Self.byteCount(head: Array(bytes.prefix(Self.headBytes))) == bytes.count,
      bytes.count >= Self.headBytes + Self.fixedBytes, Self.version(head: bytes) == Self.version
    else { return nil }
    from = bytes.littleEndian(12, 8)
    to = bytes.littleEndian(20, 8)
    fromLoop = Int(bytes.littleEndian(28, 2))
    toLoop = Int(bytes.littleEndian(30, 2))
    loops = Int(bytes.littleEndian(32, 2))
    nonce = Array(bytes[34..<50])
    build = String(decoding: bytes[50...], as: UTF8.self)
  }

  /// Proves that one end has the secret.
  ///
  /// - Parameters:
  ///   - connects: Whether it is the end that connects.
  ///   - hellos: The hello of the end that connects, and the other one's behind it, in bytes.
  ///   - secret: What both have.
  /// - Returns: 32 bytes.
  static func proof(connects: Bool, hellos: [UInt8], secret: [UInt8]) -> [UInt8] {
    Cryptography.authenticationCode(of: [connects ? 1 : 2] + hellos, key: secret)
  }
}

extension [UInt8] {
  /// Appends the lowest bytes of a number.
  mutating func appendLittleEndian(_ number: some BinaryInteger, _ count: Int) {
    let bits = UInt64(truncatingIfNeeded: number)
    for index in 0..<count { append(UInt8(truncatingIfNeeded: bits >> (8 * index))) }
  }

  /// The number in so many bytes from an index on.
  func littleEndian(_ start: Int, _ count: Int) -> Int64 {
    var bits: UInt64 = 0
    for index in (0..<count).reversed() { bits = bits << 8 | UInt64(self[start + index]) }
    return Int64(bitPattern: bits)
  }
}
