// SPDX-License-Identifier: Apache-2.0

extension Sequence<String> {
  /// The names that somebody may have meant who wrote another one.
  ///
  /// - Parameter name: What was written.
  /// - Returns: At most two, the best first; none that differs in more than a third of its characters, or two, or in all.
  package func nearest(to name: String) -> [String] {
    let close = map { (name: $0, distance: Self.editDistance(name.lowercased(), $0.lowercased())) }
      .filter { $0.distance <= Swift.max(2, $0.name.count / 3) }
      .filter { $0.distance < Swift.max(name.count, $0.name.count) }
      .sorted { $0.distance < $1.distance }
    guard let best = close.first else { return [] }
    return close.filter { $0.distance <= best.distance + 1 }.prefix(2).map(\.name)
  }

  /// How many characters have to be inserted, deleted or replaced.
  private static func editDistance(_ from: String, _ to: String) -> Int {
    let target = Array(to)
    var row = Array(0...target.count)
    for (index, character) in from.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in target.indices {
        let substitution = diagonal + (character == target[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = Swift.min(substitution, diagonal + 1, row[column] + 1)
      }
    }
    return row[target.count]
  }
}
