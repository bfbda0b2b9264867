// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets

/// zlib's compression into the gzip format.
enum Gzip {
  /// The compressed bytes, or nil if they are not fewer.
  static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    let result = [UInt8](unsafeUninitializedCapacity: bytes.count) { target, count in
      count = bytes.withUnsafeBufferPointer {
        musubi_gzip($0.baseAddress, $0.count, target.baseAddress, target.count)
      }
    }
    return result.isEmpty ? nil : result
  }
}
