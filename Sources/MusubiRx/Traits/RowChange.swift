// SPDX-License-Identifier: Apache-2.0

/// One change of a list, for a model that knows its changes.
///
/// An output of changes shows a list, as an output of arrays does, and costs what changed instead of one comparison a row.
/// Its first element is `reset`:
///
/// ```swift
/// struct Outputs: Encodable { let readings: Driver<RowChange<Reading>> }
///
/// Outputs(readings: sensors.changes.startWith(.reset(sensors.all)).asDriver(onErrorDriveWith: .empty()))
/// ```
///
/// Places count in the list as the changes before have left it.
public enum RowChange<Row> {
  /// All rows are others.
  case reset([Row])
  /// A row is added at that place.
  case insert(Row, at: Int)
  /// The row at that place is another, or has changed.
  case update(Row, at: Int)
  /// A row is taken out, and put where it then has the second place.
  case move(from: Int, to: Int)
  /// The row at that place goes.
  case remove(at: Int)
}

extension RowChange: Equatable where Row: Equatable {}
extension RowChange: Sendable where Row: Sendable {}

extension RowChange {
  /// The places that it names.
  package var places: [Int] {
    switch self {
    case .reset: []
    case .insert(_, let place), .update(_, let place), .remove(let place): [place]
    case .move(let from, let place): [from, place]
    }
  }

  /// Whether a list of so many rows has the places.
  package func fits(count: Int) -> Bool {
    var end = count
    if case .insert = self { end += 1 }
    return places.allSatisfy { (0..<end).contains($0) }
  }
}

extension Array {
  /// Makes a change of this list, which has the places that the change names.
  public mutating func apply(_ change: RowChange<Element>) {
    switch change {
    case .reset(let rows): self = rows
    case .insert(let row, let place): insert(row, at: place)
    case .update(let row, let place): self[place] = row
    case .move(let from, let place): insert(remove(at: from), at: place)
    case .remove(let place): remove(at: place)
    }
  }
}
