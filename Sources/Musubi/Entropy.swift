// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The system's unpredictable bytes, fetched many at a time: a call of the system costs more than all else about a name.
///
/// Bytes that were handed out are kept nowhere. Confined to its loop.
final class Entropy {
  private var bytes = [UInt8](repeating: 0, count: 256)
  /// How many of the bytes have not been handed out; they are the first ones.
  private var left = 0

  /// Hands out bytes.
  ///
  /// - Parameter count: How many, at most 256.
  /// - Returns: Bytes that nobody else gets.
  func take(_ count: Int) -> [UInt8] {
    if left < count {
      // Fails for a buffer that is too long or no memory, which this is not.
      guard getentropy(&bytes, bytes.count) == 0 else { preconditionFailure("the system gives no entropy") }
      left = bytes.count
    }
    let taken = left - count..<left
    defer {
      for index in taken { bytes[index] = 0 }
      left -= count
    }
    return Array(bytes[taken])
  }
}
