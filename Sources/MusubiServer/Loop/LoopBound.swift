// SPDX-License-Identifier: Apache-2.0

/// Carries a value that is not `Sendable` across closures that run on one loop.
///
/// `@unchecked Sendable`: every access first proves that it runs on `loop`, and the value is created there.
package struct LoopBound<Value>: @unchecked Sendable {
  private let loop: EventLoop
  private let stored: Value

  /// Binds a value to the loop on whose thread the caller runs.
  ///
  /// - Parameters:
  ///   - value: What only that thread may touch.
  ///   - loop: The loop; the caller must be on its thread.
  package init(_ value: Value, on loop: EventLoop) {
    loop.preconditionIsolated()
    self.loop = loop
    stored = value
  }

  /// The value; the caller must be on the loop's thread.
  package var value: Value {
    loop.preconditionIsolated()
    return stored
  }
}
