// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import Synchronization

/// The messages of all connections of one peer, on whichever loops.
final class AddressBucket: Sendable {
  let peer: Peer
  private let rate: MessageRate
  private let bucket: Mutex<TokenBucket>

  init(_ peer: Peer, _ rate: MessageRate, at now: Duration) {
    self.peer = peer
    self.rate = rate
    bucket = Mutex(TokenBucket(rate, at: now))
  }

  /// Takes a message.
  ///
  /// - Returns: How long to wait before more is read; nil if there is no need.
  func take(at now: Duration) -> Duration? { bucket.withLock { $0.take(rate, at: now) } }
}

extension SharedLimits {
  /// The buckets of the addresses among peers, which `leave` gives back.
  func join(_ peers: [Peer], _ rate: MessageRate, at now: Duration) -> [AddressBucket] {
    addresses.withLock { addresses in
      var buckets: [AddressBucket] = []
      for peer in peers {
        let factor: Int
        switch peer {
        case .identity: continue
        case .address: factor = 1
        case .network: factor = 8
        }
        let own = MessageRate(perSecond: rate.perSecond * factor, burst: rate.burst * factor)
        let bucket = addresses[peer]?.bucket ?? AddressBucket(peer, own, at: now)
        addresses[peer] = (bucket, (addresses[peer]?.connections ?? 0) + 1)
        buckets.append(bucket)
      }
      return buckets
    }
  }

  /// Forgets an address when its last connection has gone.
  func leave(_ buckets: [AddressBucket]) {
    addresses.withLock { addresses in
      for bucket in buckets {
        guard let entry = addresses[bucket.peer] else { continue }
        addresses[bucket.peer] = entry.connections > 1 ? (entry.bucket, entry.connections - 1) : nil
      }
    }
  }
}
