// SPDX-License-Identifier: Apache-2.0

/// Work outside of the screen that an input has begun, such as a post into a database.
///
/// The input is acknowledged when all its effects have finished; until then the page keeps it. After a crash in between
/// it comes again: the screen is as it was before, and the effect gets the same `key`. An effect that stores the key in
/// its own transaction therefore happens once. Inputs that come meanwhile run at once, and wait for their acknowledgement.
///
/// ```swift
/// let effect = context.beginEffect()
/// contents.post(entry, once: effect.key).observe(on: MainScheduler.instance)
///   .subscribe(onSuccess: { _ in effect.finish() }, onFailure: { _ in effect.finish() })
///   .disposed(by: disposeBag)
/// ```
public final class Effect {
  /// Names the effect, also when its input comes again: the session and the input's number.
  public let key: String
  private var whenFinished: (() -> Void)?

  /// The key of the effect that an `async` action of an `@Observable` model is; nil elsewhere.
  ///
  /// It is the same when the action runs again after a crash: store it in the transaction that must happen once.
  @TaskLocal public static var currentKey: String?

  /// An effect.
  ///
  /// - Parameters:
  ///   - key: Names the effect.
  ///   - whenFinished: Called once, at the latest when nobody holds the effect any more.
  public init(key: String, whenFinished: @escaping () -> Void = {}) {
    self.key = key
    self.whenFinished = whenFinished
  }

  deinit { whenFinished?() }

  /// The effect has happened, or failed for good; call it on the screen's loop.
  public func finish() {
    let finished = whenFinished
    whenFinished = nil
    finished?()
  }
}

/// Knows which input is being handled.
package protocol EffectOrigin: AnyObject {
  /// Begins an effect of that input; nil if there is none.
  func beginEffect() -> Effect?
}

extension ScreenContext {
  /// Begins work outside of the screen, for the input that is being handled.
  ///
  /// - Returns: The effect; finish it when its result is there. Outside of an input its key is a random one.
  public func beginEffect() -> Effect {
    (clock as? any EffectOrigin)?.beginEffect() ?? Effect(key: "\(random.next())-\(random.next())")
  }
}
