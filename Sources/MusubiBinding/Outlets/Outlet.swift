// SPDX-License-Identifier: Apache-2.0
public import MusubiRx
import MusubiWire

/// Stands for one named element of the page.
///
/// Beside its main value every outlet has two properties that a page may bind: `isHidden` is the output
/// `<name>Hidden`, `isEnabled` the output `<name>Disabled` with the opposite value. They are missing in the page's state
/// until they are used for the first time.
///
/// ```swift
/// let send = Button("send")
/// viewModel.canSend.drive(send.rx.isEnabled).disposed(by: disposeBag)
/// ```
public class Outlet: ReactiveCompatible {
  /// The name in the page's `data-` attributes.
  public let name: String
  private let board: OutputBoard?
  private var appearance: Appearance?

  /// The part that few outlets have: they are hidden or disabled at times.
  private final class Appearance {
    var isHidden = false
    var isEnabled = true
    var hiddenSlot: OutputSlot?
    var disabledSlot: OutputSlot?
  }

  /// An outlet of a name; only the kinds of outlets that Musubi knows exist.
  init(_ name: String) {
    self.name = name
    board = ScreenBuilder.active?.board
  }

  /// Whether the element is not shown; bind it by `data-bind-hidden="<name>Hidden"`.
  public var isHidden: Bool {
    get { appearance?.isHidden ?? false }
    set {
      let slot = declareHidden()
      appearance?.isHidden = newValue
      slot.write(.bool(newValue))
    }
  }

  /// Whether the element can be used; bind it by `data-bind-disabled="<name>Disabled"`.
  public var isEnabled: Bool {
    get { appearance?.isEnabled ?? true }
    set {
      let slot = declareDisabled()
      appearance?.isEnabled = newValue
      slot.write(.bool(!newValue))
    }
  }

  /// Declares the output of `isHidden` before it has a value, so that the screen's schema knows it.
  @discardableResult fileprivate func declareHidden() -> OutputSlot {
    declare(\.hiddenSlot, "Hidden")
  }

  /// Declares the output of `isEnabled` before it has a value.
  @discardableResult fileprivate func declareDisabled() -> OutputSlot {
    declare(\.disabledSlot, "Disabled")
  }

  private func declare(
    _ slot: ReferenceWritableKeyPath<Appearance, OutputSlot?>, _ suffix: String
  ) -> OutputSlot {
    let appearance = self.appearance ?? Appearance()
    self.appearance = appearance
    if let declared = appearance[keyPath: slot] { return declared }
    let declared = output(name + suffix)
    appearance[keyPath: slot] = declared
    return declared
  }

  /// Tells the log that something cannot cross the wire.
  func report(_ problem: String) { board?.report(problem) }

  private func output(_ name: String) -> OutputSlot { board?.declare(name) ?? OutputSlot(name: name) }

  static func output(_ name: String) -> OutputSlot {
    ScreenBuilder.active?.declareOutput(name) ?? OutputSlot(name: name)
  }

  static func input(_ name: String, _ kind: InputKind, _ accept: @escaping (Value?) -> Void) {
    ScreenBuilder.active?.declareInput(InputSlot(name: name, kind: kind, accept: accept))
  }
}

extension Reactive where Base: Outlet {
  /// Shows and hides the element.
  public var isHidden: Binder<Bool> {
    base.declareHidden()
    return Binder(base) { outlet, isHidden in outlet.isHidden = isHidden }
  }

  /// Enables and disables the element.
  public var isEnabled: Binder<Bool> {
    base.declareDisabled()
    return Binder(base) { outlet, isEnabled in outlet.isEnabled = isEnabled }
  }
}
