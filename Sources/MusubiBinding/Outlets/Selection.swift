// SPDX-License-Identifier: Apache-2.0
public import MusubiRx
import MusubiWire

/// The rows that are selected in a list: `data-bind-selected="name"` on its template, and boxes with `data-select` in its rows.
///
/// ```swift
/// let selection = Selection<Chore.ID>("selection")
/// selection.rx.ids.map { $0.isEmpty }.bind(to: delete.rx.isDisabled).disposed(by: disposeBag)
/// ```
public final class Selection<ID: Codable>: Outlet {
  private let slot: OutputSlot
  fileprivate let selections = PublishSubject<[ID]>()

  /// Called when the visitor has selected other rows; the way without `rx`.
  public var onChange: (([ID]) -> Void)?

  /// The outlet of a name that is an output and an input.
  ///
  /// - Parameter name: The name in the page.
  override public init(_ name: String) {
    slot = Self.output(name)
    super.init(name)
    ScreenBuilder.active?.declareInput(
      .decoding(name, [ID].self) { [weak self] (ids: [ID]) in self?.select(ids) })
  }

  /// The ids of the selected rows.
  ///
  /// If one of them refuses to be encoded, none changes, and the log tells why.
  public var ids: [ID] = [] {
    didSet {
      do {
        slot.write(try ValueEncoder.encode(ids))
      } catch {
        report("the output \"\(name)\" keeps its old rows: \(error)")
      }
    }
  }

  private func select(_ ids: [ID]) {
    self.ids = ids
    selections.onNext(ids)
    onChange?(ids)
  }
}

/// An outlet of selected rows, whatever the type of their ids: `Selection` is the only one, and `rx.ids` needs it.
///
/// ```swift
/// func clear(_ selection: some SelectionType) { selection.ids = [] }
/// ```
public protocol SelectionType: AnyObject {
  /// The type of the ids.
  associatedtype ID
  /// The ids of the selected rows.
  var ids: [ID] { get set }
  /// What visitors select.
  var selected: Observable<[ID]> { get }
}

extension Selection: SelectionType {
  /// What visitors select.
  public var selected: Observable<[ID]> { selections }
}

extension Reactive where Base: SelectionType {
  /// The ids of the selected rows: emits each selection of the visitor, and takes what to select.
  public var ids: ControlProperty<[Base.ID]> {
    ControlProperty(
      values: base.selected, changes: base.selected,
      valueSink: Binder(base) { selection, ids in selection.ids = ids })
  }
}
