// SPDX-License-Identifier: Apache-2.0
public import MusubiRx
import MusubiWire

/// Rows that the page draws: `<template data-bind-each="name">`, whose attributes name members of a row.
///
/// Rows have an `id`, so that the page keeps what belongs to a row while others come, go and move.
///
/// ```swift
/// struct Chore: Encodable, Identifiable, Equatable { let id: Int; let title: String }
/// let chores = List<Chore>("chores")
/// viewModel.chores.drive(chores.rx.items).disposed(by: disposeBag)
/// chores.rx.tap("done").bind(to: viewModel.done).disposed(by: disposeBag)
/// ```
public final class List<Row: Encodable & Identifiable>: Outlet {
  private let output: RowsOutput<Row>
  private var rows: [Row] = []
  /// The rows that are shown when a page is there; nil if those are shown.
  private var newest: [Row]?

  /// The outlet of an output name.
  ///
  /// - Parameter name: The name in the page.
  override public init(_ name: String) {
    output = RowsOutput(ScreenBuilder.active?.declareList(name, of: Row.self) ?? OutputSlot(name: name))
    super.init(name)
  }

  /// The rows; if one of them refuses to be encoded, none changes, and the log tells which one and why.
  ///
  /// Of rows that are `Equatable`, only those that are not equal to what they were are encoded.
  public var items: [Row] {
    get { newest ?? rows }
    set { apply(.reset(newValue)) }
  }

  /// Makes one change of the rows, which costs the same however many rows there are.
  ///
  /// A change that does not fit the rows changes nothing, and the log tells why.
  ///
  /// - Parameter change: The change.
  public func apply(_ change: RowChange<Row>) {
    do {
      guard output.isResting else {
        try output.take(change)
        return rows.apply(change)
      }
      try output.wait(for: change) { [self] in
        newest = nil
        if let shown = $0 { rows = shown.rows(after: rows) }
      }
      var items = self.items
      newest = nil
      items.apply(change)
      newest = items
    } catch {
      report("the output \"\(name)\" keeps its old rows: \(error)")
    }
  }
}

extension RowOutlet where Row: Identifiable, Row.ID: Decodable {
  /// Calls back for each tap on an element of a row; the way without `rx`.
  ///
  /// Call it in `viewDidLoad`, once for each name.
  ///
  /// - Parameters:
  ///   - name: The input's name: `data-on-click="name"` inside of the template.
  ///   - handle: Gets the row's id.
  public func onTap(_ name: String, _ handle: @escaping (Row.ID) -> Void) {
    ScreenBuilder.active?.declareInput(.decoding(name, Row.ID.self, accept: handle))
  }

  /// Calls back whenever somebody has put a row elsewhere; the way without `rx`.
  ///
  /// Call it in `viewDidLoad`, once for each name.
  ///
  /// - Parameters:
  ///   - name: The input's name: `data-on-move="name"` on the template.
  ///   - handle: Gets the row, and where it goes.
  public func onMove(_ name: String, _ handle: @escaping (RowMove<Row.ID>) -> Void) {
    ScreenBuilder.active?.declareInput(.decoding(name, RowMove<Row.ID>.self, accept: handle))
  }
}

extension List where Row.ID: Decodable {
  /// Calls back whenever somebody has typed into a text of a row; the way without `rx`.
  ///
  /// Call it in `viewDidLoad`, once for each name.
  ///
  /// - Parameters:
  ///   - name: The member of a row that is the text, and the input's name: `data-bind-value="name"` inside of the
  ///     template.
  ///   - handle: Gets the row's id, and the text that its field holds.
  public func onText(_ name: String, _ handle: @escaping (Row.ID, String) -> Void) {
    ScreenBuilder.active?.declareInput(
      .decoding(name, RowText<Row.ID>.self) { (typed: RowText<Row.ID>) in handle(typed.id, typed.text) })
  }
}

/// An outlet of rows, a `List` or a `WindowedList`, whose rows tell their taps and moves.
///
/// ```swift
/// chores.onTap("open") { [book] id in book.open(id) }
/// ```
public protocol RowOutlet: AnyObject {
  /// The type of the rows.
  associatedtype Row
}

/// An outlet of rows that the page has all of, whatever their type: `List` is the only one, and `list.rx.items` needs it.
public protocol ListType: RowOutlet {
  /// The rows.
  var items: [Row] { get set }
  /// Makes one change of the rows.
  ///
  /// - Parameter change: The change.
  func apply(_ change: RowChange<Row>)
}

extension List: ListType {}

extension Reactive where Base: ListType {
  /// Sets the rows.
  public var items: Binder<[Base.Row]> { Binder(base) { list, items in list.items = items } }

  /// Changes the rows one by one, as `apply` does; the first change is `reset`.
  public var changes: Binder<RowChange<Base.Row>> { Binder(base) { list, change in list.apply(change) } }
}

extension Reactive where Base: RowOutlet, Base.Row: Identifiable, Base.Row.ID: Decodable {
  /// Typing into a text of the rows: `data-bind-value="name"` inside of the template.
  ///
  /// Everybody who shows the row types into the same text. Show what becomes of it as the row's member of that name.
  /// Ask for it in `viewDidLoad`, once for each name.
  ///
  /// - Parameter name: The member of a row that is the text, and the input's name.
  /// - Returns: The row's id, and the text that its field holds.
  public func text(_ name: String) -> ControlEvent<RowText<Base.Row.ID>> {
    let typed = PublishSubject<RowText<Base.Row.ID>>()
    ScreenBuilder.active?.declareInput(.decoding(name, RowText<Base.Row.ID>.self) { typed.onNext($0) })
    return ControlEvent(events: typed)
  }
}

extension Reactive where Base: RowOutlet, Base.Row: Identifiable, Base.Row.ID: Decodable {
  /// The taps on an element of the rows: `data-on-click="name"` inside of the template.
  ///
  /// Ask for it in `viewDidLoad`, once for each name.
  ///
  /// - Parameter name: The input's name.
  /// - Returns: The id of each tap's row.
  public func tap(_ name: String) -> ControlEvent<Base.Row.ID> {
    let taps = PublishSubject<Base.Row.ID>()
    ScreenBuilder.active?.declareInput(.decoding(name, Base.Row.ID.self) { taps.onNext($0) })
    return ControlEvent(events: taps)
  }

  /// The rows that somebody puts elsewhere: `data-on-move="name"` on the template.
  ///
  /// Ask for it in `viewDidLoad`, once for each name.
  ///
  /// - Parameter name: The input's name.
  /// - Returns: Each row that was moved, and where it goes.
  public func moves(_ name: String) -> ControlEvent<RowMove<Base.Row.ID>> {
    let moves = PublishSubject<RowMove<Base.Row.ID>>()
    ScreenBuilder.active?.declareInput(.decoding(name, RowMove<Base.Row.ID>.self) { moves.onNext($0) })
    return ControlEvent(events: moves)
  }
}
