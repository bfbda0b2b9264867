// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// The streams of turns that something descends from, oldest first, each with the last turn that is known of it.
///
/// ```
/// room E dies at 12     a page hands over what it knows of E up to 9     room F: [[E,9]]
/// room F dies at 3      the page hands over what it knows of F           room G: [[E,9],[F,3]]
/// ```
struct Lineage: Equatable, Codable, Sendable {
  /// The places; streams without a turn are left out, since a room's first state is nobody's.
  private(set) var positions: [StreamPosition] = []

  /// The most streams that are kept, the newest.
  static let maxStreams = 8

  /// Nothing is known.
  init() {}

  /// The knowledge of a page that stands at a place of a room's stream.
  ///
  /// - Parameters:
  ///   - position: The place.
  ///   - lineage: What the room descends from.
  init(at position: StreamPosition, of lineage: [StreamPosition]) {
    positions = Array((lineage.suffix(Self.maxStreams) + [position]).filter { $0.sequence > 0 })
  }

  /// The newest place; nil if nothing is known.
  var newest: StreamPosition? { positions.last }

  /// Whether all is known that was known at a place.
  func contains(_ position: StreamPosition) -> Bool {
    positions.contains { $0.epoch == position.epoch && $0.sequence >= position.sequence }
  }

  /// Adds what another one knows.
  mutating func add(_ other: Lineage) {
    for position in other.positions {
      if let known = positions.firstIndex(where: { $0.epoch == position.epoch }) {
        positions[known].sequence = max(positions[known].sequence, position.sequence)
      } else {
        positions.append(position)
      }
    }
    positions.removeFirst(max(0, positions.count - Self.maxStreams))
  }
}
