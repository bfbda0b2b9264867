// SPDX-License-Identifier: Apache-2.0
public import MusubiRx
import MusubiWire

/// Rows that the page draws: `<template data-bind-each="name">`, whose attributes name members of a row.
///
/// Rows have an `id`, so that the page keeps what belongs to a row while others come, go and move.
public final class List<Row: Encodable & Identifiable>: Outlet {
  private let rowsSlot: OutputSlot

  /// The outlet of an output name.
  override public init(_ name: String) {
    rowsSlot = Self.output(name)
    super.init(name)
  }

  /// The rows; if one of them refuses to be encoded, none changes, and the log tells which one and why.
  public var items: [Row] = [] {
    didSet {
      do {
        rowsSlot.write(
          .array(
            try items.enumerated().map { index, row in
              try ValueEncoder.encode(row: row, codingPath: [IndexKey(index)])
            }))
      } catch {
        items = oldValue
        report("the output \"\(name)\" keeps its old rows: \(error)")
      }
    }
  }
}

extension List where Row.ID: Decodable {
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
}

/// An outlet of rows, whatever their type.
public protocol ListType: AnyObject {
  /// The type of the rows.
  associatedtype Row
  /// The rows.
  var items: [Row] { get set }
}

extension List: ListType {}

extension Reactive where Base: ListType {
  /// Sets the rows.
  public var items: Binder<[Base.Row]> { Binder(base) { list, items in list.items = items } }
}

extension Reactive where Base: ListType, Base.Row: Identifiable, Base.Row.ID: Decodable {
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
}
