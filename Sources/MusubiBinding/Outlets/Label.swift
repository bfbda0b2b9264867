// SPDX-License-Identifier: Apache-2.0
public import MusubiRx
import MusubiWire

/// Text that the page shows: `<p data-bind-text="name">`.
///
/// ```swift
/// let number = Label("number")
/// viewModel.count.map { "\($0)" }.drive(number.rx.text).disposed(by: disposeBag)
/// ```
public final class Label: Outlet {
  fileprivate let textSlot: OutputSlot

  /// The outlet of an output name.
  ///
  /// - Parameter name: The name in the page.
  override public init(_ name: String) {
    textSlot = Self.output(name)
    super.init(name)
  }

  /// The text; nil shows as an empty text.
  public var text: String? {
    get { textSlot.shownText }
    set { textSlot.show(newValue) }
  }
}

extension Reactive where Base: Label {
  /// Sets the text.
  public var text: Binder<String?> { Binder(textOf: base.textSlot) }
}
