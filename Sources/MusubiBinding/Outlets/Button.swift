// SPDX-License-Identifier: Apache-2.0
public import MusubiRx

/// A button of the page: `<button data-on-click="name">`.
///
/// ```swift
/// let increment = Button("increment")
/// increment.rx.tap.subscribe(onNext: { [viewModel] in viewModel.increment() }).disposed(by: disposeBag)
/// ```
public final class Button: Outlet {
  fileprivate let taps = PublishSubject<Void>()

  /// Called for every tap; the way without `rx`.
  public var onTap: (() -> Void)?

  /// The outlet of an input name.
  ///
  /// - Parameter name: The name in the page.
  override public init(_ name: String) {
    super.init(name)
    // Whoever shows the screen holds the input, and the button does not hold them.
    Self.input(name, .void) { _ in
      self.taps.onNext(())
      self.onTap?()
    }
  }
}

extension Reactive where Base: Button {
  /// Every tap, once.
  public var tap: ControlEvent<Void> { ControlEvent(events: base.taps) }
}
