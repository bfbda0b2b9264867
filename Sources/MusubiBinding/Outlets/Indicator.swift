// SPDX-License-Identifier: Apache-2.0
public import MusubiRx
import MusubiWire

/// Something that is or is not the case: `data-bind-hidden`, `data-bind-class-busy` or `data-bind-checked` of the name.
///
/// ```swift
/// let busy = Indicator("busy")
/// viewModel.isLoading.drive(busy.rx.isOn).disposed(by: disposeBag)
/// ```
public final class Indicator: Outlet {
  private let stateSlot: OutputSlot

  /// The outlet of an output name.
  ///
  /// - Parameter name: The name in the page.
  override public init(_ name: String) {
    stateSlot = Self.output(name)
    super.init(name)
  }

  /// Whether it is the case.
  public var isOn = false {
    didSet { stateSlot.write(.bool(isOn)) }
  }
}

extension Reactive where Base: Indicator {
  /// Sets whether it is the case.
  public var isOn: Binder<Bool> { Binder(base) { indicator, isOn in indicator.isOn = isOn } }
}
