// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// A screen's source of chance; from the same seed it draws the same numbers, so that a session can be replayed.
///
/// A class, so that a ViewModel and its models share one stream. The generator is SplitMix64 (Steele, Lea and Flood,
/// "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014): good for dice, not for secrets.
///
/// ```swift
/// var random = context.random
/// let number = Int.random(in: 1...100, using: &random)
/// ```
public final class RandomSource: RandomNumberGenerator {
  private var generator: SplitMix64

  /// A source that starts from a seed.
  ///
  /// - Parameter seed: Where it starts; from the same one it draws the same numbers.
  public init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  /// The next 64 random bits.
  public func next() -> UInt64 { generator.next() }
}
