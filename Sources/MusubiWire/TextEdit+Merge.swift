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
    diff(from: base, to: mine, byPlace: byPlace, maximumCost: maximumMergeCost)
      .merged(with: diff(from: base, to: theirs, byPlace: false, maximumCost: maximumMergeCost))
  }

  /// The same for the two edits that have made the versions: this one as an edit of the text that the other one makes.
  package func merged(with step: TextEdit) -> TextEdit { Self.transform(untaken(by: step), step).p }

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

  /// The difference of two texts, in the second of which characters of the first may stand as they are or rewritten.
  ///
  /// - Parameters:
  ///   - old: The text before the edit.
  ///   - new: The text after it.
  ///   - rewriting: An edit of `old`; what its substitutions put in the place of a character is as good as that.
  /// - Returns: An edit of `old` in normal form, which leaves both kinds as they are.
  package static func diff(from old: String, to new: String, orRewrittenBy rewriting: TextEdit) -> TextEdit {
    let before = characters(of: old, rewrittenBy: rewriting)
    let after = new.unicodeScalars.map { Character(scalar: $0) }
    let prefix = zip(before, after).prefix { $0.stands(for: $1) }.count
    let suffix = zip(before[prefix...].reversed(), after[prefix...].reversed())
      .prefix { $0.stands(for: $1) }.count
    let (middle, made) = (before[prefix..<before.count - suffix], after[prefix..<after.count - suffix])
    guard middle.count * made.count <= maximumMergePairs else {
      return diff(from: old, to: new, byPlace: false, maximumCost: maximumMergeCost)
    }
    var builder = EditBuilder()
    var position = before[..<prefix].reduce(0) { $0 + UTF16.width($1.scalar) }
    var removed: Set<Int> = []
    var inserted: [Int: Unicode.Scalar] = [:]
    for change in made.difference(from: middle, by: { $0.stands(for: $1) }) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, let character, _): inserted[offset] = character.scalar
      }
    }
    var place = 0
    func insert() {
      while let scalar = inserted[place] {
        builder.append(position, 0, String(scalar))
        place += 1
      }
    }
    for (offset, character) in middle.enumerated() {
      insert()
      let width = UTF16.width(character.scalar)
      if removed.contains(offset) { builder.append(position, width, "") } else { place += 1 }
      position += width
    }
    insert()
    return builder.edit
  }

  /// A character of a text, and what an edit puts in its place.
  private struct Character {
    let scalar: Unicode.Scalar
    var rewritten: Unicode.Scalar?

    func stands(for other: Character) -> Bool {
      scalar == other.scalar || rewritten == other.scalar || other.rewritten == scalar
    }
  }

  private static func characters(of text: String, rewrittenBy rewriting: TextEdit) -> [Character] {
    var made: [Int: Unicode.Scalar] = [:]
    for component in rewriting.components where component.isSubstitution {
      var position = component.position
      for scalar in component.inserted.unicodeScalars {
        made[position] = scalar
        position += UTF16.width(scalar)
      }
    }
    var position = 0
    return text.unicodeScalars.map { scalar in
      let rewritten = made[position].flatMap { UTF16.width($0) == UTF16.width(scalar) ? $0 : nil }
      position += UTF16.width(scalar)
      return Character(scalar: scalar, rewritten: rewritten)
    }
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
