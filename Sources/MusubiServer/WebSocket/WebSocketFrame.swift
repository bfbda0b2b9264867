// SPDX-License-Identifier: Apache-2.0

/// Writes server frames, which are unmasked (RFC 6455, section 5.2).
enum WebSocketFrame {
  /// Appends a message as one frame.
  static func append(_ payload: UnsafeRawBufferPointer, isText: Bool, to bytes: inout [UInt8]) {
    let final: UInt8 = 0x80
    bytes.append(final | (isText ? 1 : 2))
    switch payload.count {
    case ..<126: bytes.append(UInt8(payload.count))
    case ..<65_536:
      bytes.append(126)
      appendBigEndian(UInt16(payload.count), to: &bytes)
    default:
      bytes.append(127)
      appendBigEndian(UInt64(payload.count), to: &bytes)
    }
    bytes.append(contentsOf: payload)
  }

  private static func appendBigEndian(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }
}
