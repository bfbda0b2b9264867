// SPDX-License-Identifier: Apache-2.0
public import MusubiRx

/// A long list, of which each page gets the rows that it looks at: `<template data-bind-each="name" data-window>`.
///
/// ```swift
/// let entries = WindowedList<RowArray<Entry>>("entries")
/// book.entries.map { RowArray($0) }.bind(to: entries.rx.rows).disposed(by: disposeBag)
/// entries.onTap("open") { [book] id in book.open(id) }
/// ```
public final class WindowedList<Rows: WindowedRows>: Outlet, RowOutlet {
  /// The type of a row.
  public typealias Row = Rows.Row

  private let slot: OutputSlot
  private let output: WindowedOutput

  /// The outlet of an output name.
  ///
  /// - Parameter name: The name in the page.
  override public init(_ name: String) {
    (slot, output) =
      ScreenBuilder.active?.declareWindows(name, of: Rows.Row.self)
      ?? (OutputSlot(name: name), WindowedOutput(name: name))
    super.init(name)
  }

  /// The rows; nil as long as there are none.
  ///
  /// To assign the same ones again says that rows may have changed: pages are told what differs.
  public var rows: Rows? {
    didSet { if let rows { output.show(rows, in: slot) } else { output.clear(slot) } }
  }
}

/// A long list, whatever its rows: `WindowedList` is the only one, and `list.rx.rows` needs it.
///
/// ```swift
/// book.entries.map { RowArray($0) }.bind(to: entries.rx.rows).disposed(by: disposeBag)
/// ```
public protocol WindowedListType: RowOutlet {
  /// How its rows are read.
  associatedtype Rows
  /// The rows; nil as long as there are none.
  var rows: Rows? { get set }
}

extension WindowedList: WindowedListType {}

extension Reactive where Base: WindowedListType {
  /// Sets the rows; an element says that some may have changed.
  public var rows: Binder<Base.Rows> { Binder(base) { list, rows in list.rows = rows } }
}
