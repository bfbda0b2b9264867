// SPDX-License-Identifier: Apache-2.0
import MusubiSession

/// The messages of all connections from one address on one loop.
final class AddressBucket {
  let address: String
  var bucket: TokenBucket
  /// How many connections share it.
  var connections = 0

  init(_ address: String, _ bucket: TokenBucket) {
    self.address = address
    self.bucket = bucket
  }
}
