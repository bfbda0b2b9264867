// SPDX-License-Identifier: Apache-2.0
public import MusubiRx
import MusubiWire

/// A choice between segments, by their index: radio buttons with `data-bind-value="name"` and the values 0, 1 and so on.
///
/// ```swift
/// let size = SegmentedControl("size", segmentCount: 3)
/// size.rx.selectedIndex.map { prices[$0] }.bind(to: price.rx.text).disposed(by: disposeBag)
/// ```
public final class SegmentedControl: Outlet {
  private let indexSlot: OutputSlot
  private let segmentCount: Int
  fileprivate let selections = PublishSubject<Int>()

  /// Called when the visitor selects a segment; the way without `rx`.
  public var onSelect: ((Int) -> Void)?

  /// The outlet of a name that is an output and an input.
  ///
  /// - Parameters:
  ///   - name: The name in the page.
  ///   - segmentCount: How many segments there are; other indexes are refused.
  public init(_ name: String, segmentCount: Int) {
    self.segmentCount = segmentCount
    indexSlot = Self.output(name)
    super.init(name)
    let slot = InputSlot(name: name, kind: .value) { [weak self] value throws(BindingError) in
      // A form control's value is text in HTML.
      guard let index = value?.intValue ?? value?.stringValue.flatMap({ Int($0) }),
        (0..<segmentCount).contains(index)
      else {
        throw BindingError(.wrongType, "The input \"\(name)\" takes an index from 0 to \(segmentCount - 1).")
      }
      self?.select(index)
    }
    ScreenBuilder.active?.declareInput(slot)
  }

  /// The selected segment; nil before one was.
  public var selectedIndex: Int? {
    didSet { indexSlot.write(selectedIndex.map { .integer(Int64($0)) } ?? .null) }
  }

  private func select(_ index: Int) {
    selectedIndex = index
    selections.onNext(index)
    onSelect?(index)
  }
}

extension Reactive where Base: SegmentedControl {
  /// The selected segment: emits each selection of the visitor, and takes what to select.
  public var selectedIndex: ControlProperty<Int> {
    ControlProperty(
      values: base.selections, changes: base.selections,
      valueSink: Binder(base) { control, index in control.selectedIndex = index })
  }
}
