// SPDX-License-Identifier: Apache-2.0

extension TextEdit {
  /// Most insertions and deletions that are looked for where two versions of a text come together again.
  package static let maximumMergeCost = 256
  /// Most pairs of characters that are compared to find what two versions have inserted at one place.
  private static let maximumMergePairs = 1_000_000

  /// The edit that brings one version of a text into another one, both of which were made of the same text.
  ///
  /// A three-way merge: what both have made of one place is taken once, as a spelling that the writer and the
  /// spell-checker have put right at the same time. Everything else follows the order of `transform`, in which
  /// `theirs` comes first.
  ///
  /// - Parameters:
  ///   - mine: The version that is to come in.
  ///   - theirs: The version that the edit is for.
  ///   - base: What both were made of.
  ///   - byPlace: Whether `mine` may be a rewriting of `base` unit by unit; see `diff(from:to:byPlace:)`.
  /// - Returns: An edit of `theirs`, in normal form.
  package static func merge(
    _ mine: String, into theirs: String, from base: String, byPlace: Bool
  ) -> TextEdit {
    merge(
      diff(from: base, to: mine, byPlace: byPlace, maximumCost: maximumMergeCost), into: theirs, from: base)
  }

  /// The same for an edit that makes one version of what both were made of.
  package static func merge(_ edit: TextEdit, into theirs: String, from base: String) -> TextEdit {
    let step = diff(from: base, to: theirs, byPlace: false, maximumCost: maximumMergeCost)
    return transform(edit.untaken(by: step), step).p
  }

  /// This edit without what another one of the same text has made of the same places as well.
  package func untaken(by step: TextEdit) -> TextEdit {
    var builder = EditBuilder()
    let others = step.runs
    for piece in Self.pieces(of: components, cutAtEdgesOf: others, forgets: false).runs {
      let there = others.filter { other in
        piece.deleted > 0
          ? other.position < piece.end && piece.position < other.end
          : other.position <= piece.position && piece.position <= other.end
      }
      let inserted = Self.scalars(of: piece.inserted, notIn: there.map(\.inserted).joined())
      // Left in place, the deletion would join what stands on both sides of it.
      if inserted.isEmpty, there.contains(where: { $0.position <= piece.position && piece.end <= $0.end }) {
        continue
      }
      builder.append(piece.position, piece.deleted, inserted, isSubstitution: piece.isSubstitution)
    }
    return builder.edit
  }

  /// What of a text is left without one of the longest common subsequences with another one.
  private static func scalars(of text: String, notIn other: String) -> String {
    let (mine, theirs) = (Array(text.unicodeScalars), Array(other.unicodeScalars))
    guard !theirs.isEmpty, mine.count * theirs.count <= maximumMergePairs else { return text }
    var rest = String.UnicodeScalarView()
    for change in mine.difference(from: theirs).insertions {
      if case .insert(_, let scalar, _) = change { rest.append(scalar) }
    }
    return String(rest)
  }
}
