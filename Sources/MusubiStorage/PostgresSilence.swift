// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Waits until nobody else gives a sign of life.
enum PostgresSilence {
  private static let alive =
    "Another node owns the store and is alive; one at a time can. Stop that one, or give this one another database by --store."

  /// Takes what others own, as soon as none of them gives signs of life.
  ///
  /// - Parameters:
  ///   - configuration: Says how long a silence is, and how long to wait for one.
  ///   - refusal: The sentence if somebody is alive.
  ///   - signs: Reads the last sign of each of the others; whoever lives changes its own.
  ///   - take: Takes from those who gave these signs; nil if others have come meanwhile.
  /// - Returns: What `take` returns.
  /// - Throws: `StorageError` if somebody is alive; what the others throw.
  static func wait<Output>(
    _ configuration: PostgresStoreConfiguration, refusing refusal: String = alive,
    _ signs: () throws -> [Int64: String],
    _ take: ([Int64: String]) throws -> Output?
  ) throws -> Output {
    let start = ContinuousClock.now
    var seen = try signs()
    var since = start
    while true {
      let now = try signs()
      if now != seen { (seen, since) = (now, .now) }
      if seen.isEmpty || .now - since >= configuration.silence, let output = try take(seen) { return output }
      guard since - start < configuration.patience else {
        throw StorageError(refusal)
      }
      Thread.sleep(forTimeInterval: 0.05)
    }
  }
}
