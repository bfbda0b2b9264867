// SPDX-License-Identifier: Apache-2.0
public import MusubiRx

/// Where the number screen gets its random numbers; tests inject a stub.
public protocol NumberModel {
  /// Draws one random integer.
  ///
  /// - Parameters:
  ///   - lower: The smallest number that can be drawn.
  ///   - upper: The largest number that can be drawn.
  /// - Returns: One number per subscription, then completes.
  func generateRandomInt(from lower: Int, to upper: Int) -> Observable<Int>
}

/// Draws from a random number generator.
public final class RandomNumberModel<Generator: RandomNumberGenerator>: NumberModel {
  private var generator: Generator

  /// A model that draws from `generator`; a screen hands over its context's source.
  public init(generator: Generator) { self.generator = generator }

  /// Draws when it is subscribed.
  ///
  /// - Parameters:
  ///   - lower: The smallest number that can be drawn.
  ///   - upper: The largest number that can be drawn.
  /// - Returns: One number, then completes.
  public func generateRandomInt(from lower: Int, to upper: Int) -> Observable<Int> {
    Observable.deferred { [self] in .just(Int.random(in: lower...upper, using: &generator)) }
  }
}
