// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import Synchronization

/// The messages of all connections from one address, on whichever loops.
final class AddressBucket: Sendable {
  let address: String
  private let bucket: Mutex<TokenBucket>

  init(_ address: String, _ bucket: TokenBucket) {
    self.address = address
    self.bucket = Mutex(bucket)
  }

  /// Takes a message.
  ///
  /// - Returns: How long to wait before more is read; nil if there is no need.
  func take(_ rate: MessageRate, at now: Duration) -> Duration? { bucket.withLock { $0.take(rate, at: now) } }
}

extension SharedLimits {
  /// The bucket of an address, which `leave` gives back.
  func join(_ address: String, _ rate: MessageRate, at now: Duration) -> AddressBucket {
    addresses.withLock { addresses in
      let bucket = addresses[address]?.bucket ?? AddressBucket(address, TokenBucket(rate, at: now))
      addresses[address] = (bucket, (addresses[address]?.connections ?? 0) + 1)
      return bucket
    }
  }

  /// Forgets the address when its last connection has gone.
  func leave(_ bucket: AddressBucket) {
    addresses.withLock { addresses in
      guard let entry = addresses[bucket.address] else { return }
      addresses[bucket.address] = entry.connections > 1 ? (entry.bucket, entry.connections - 1) : nil
    }
  }
}
