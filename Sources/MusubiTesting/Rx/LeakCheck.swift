// SPDX-License-Identifier: Apache-2.0

internal import MusubiRx

/// Tells whether an object outlives the work that made it.
///
/// The usual mistake is a closure that captures `self` strongly in a subscription that `self` keeps:
///
///     // in the ViewModel's initializer
///     tap.subscribe(onNext: { self.roll() }).disposed(by: disposeBag)   // leaks: write [weak self]
///
///     #expect(leak { ViewModel(tap: .never()) } == nil)                 // fails and names the ViewModel
///
/// - Parameter make: Makes the object, and may use it; nothing of the test itself may keep it.
/// - Returns: Nil if the object is gone after the closure; otherwise a sentence that names it and, in debug builds,
///   says how many observables and subscriptions were left with it.
/// - Throws: What the closure throws.
public func leak<Object: AnyObject>(_ make: () throws -> Object) rethrows -> String? {
  let before = Resources.total
  weak var remaining: Object?
  do { remaining = try make() }
  guard remaining != nil else { return nil }
  return """
    \(Object.self) is still alive, with \(Resources.total - before) observables and subscriptions. Does a closure that \
    it keeps, by a DisposeBag for instance, capture it strongly? Write [weak self], or subscribe(with: self).
    """
}
