// SPDX-License-Identifier: Apache-2.0

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
  private var state: UInt64

  /// A source that starts from a seed.
  ///
  /// - Parameter seed: Where it starts; from the same one it draws the same numbers.
  public init(seed: UInt64) { state = seed }

  /// The next 64 random bits.
  public func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
