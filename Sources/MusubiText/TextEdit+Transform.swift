// SPDX-License-Identifier: Apache-2.0

extension TextEdit {
  /// Makes each of two edits of the same text applicable after the other.
  ///
  /// Applying `s` and then `p′` gives the same text as `p` and then `s′` (TP1). The order of what both insert is
  /// told at `TextEdit`. Neither result splits a surrogate pair if the inputs do not.
  ///
  /// - Parameters:
  ///   - p: The client's edit; its insertion goes to the right in a tie.
  ///   - s: The edit that the server has already ordered.
  /// - Returns: `p′`, to apply after `s`, and `s′`, to apply after `p`, both in normal form.
  /// - Complexity: O(components), and the length of what they insert.
  package static func transform(_ p: TextEdit, _ s: TextEdit) -> (p: TextEdit, s: TextEdit) {
    // Nearly always people type in different places: then the one to the right moves, and nothing is cut or joined.
    if let left = p.single, let right = s.single, left.doesSomething, right.doesSomething {
      if left.end < right.position { return (p, right.moved(by: left.growth)) }
      if right.end < left.position { return (left.moved(by: right.growth), s) }
    }
    let client = p.normalized.components
    let server = s.normalized.components
    let pPieces = pieces(of: client, cutAtEdgesOf: server)
    let sPieces = pieces(of: server, cutAtEdgesOf: client)
    return (
      rebased(pPieces, over: sPieces, winsTies: false),
      rebased(sPieces, over: pPieces, winsTies: true)
    )
  }

  /// Makes two sequences of edits that start from the same text applicable after each other.
  ///
  /// - Parameters:
  ///   - p: The client's edits, oldest first, each of the text that the one before it made.
  ///   - s: The server's edits, likewise.
  /// - Returns: The client's edits to apply after all of `s`, and the server's to apply after all of `p`.
  package static func transform(_ p: [TextEdit], _ s: [TextEdit]) -> (p: [TextEdit], s: [TextEdit]) {
    var client = p
    var server = s
    for column in server.indices {
      for row in client.indices {
        (client[row], server[column]) = transform(client[row], server[column])
      }
    }
    return (client, server)
  }

  /// Where a caret goes when this edit, made by somebody else, is applied.
  ///
  /// It goes where a text that its owner typed there would go: after an insertion at the caret, after a
  /// replacement that the caret was inside of, and to the same unit inside of a substitution.
  ///
  /// - Parameters:
  ///   - caret: The position of the caret, in UTF-16 units.
  ///   - staysBefore: Whether an insertion exactly at the caret goes behind it instead: for the end of a selection,
  ///     which would otherwise grow.
  /// - Returns: The position in the text after the edit.
  package func map(caret: Int, staysBefore: Bool = false) -> Int {
    let edge = Component(position: caret, deleted: 0, inserted: "")
    var shift = 0
    for piece in Self.pieces(of: normalized.components, cutAtEdgesOf: [edge]) {
      if piece.position > caret || (piece.position == caret && (piece.deleted > 0 || staysBefore)) { break }
      shift += piece.length - (min(piece.end, caret) - piece.position)
    }
    return caret + shift
  }

  /// Where a selection goes when this edit, made by somebody else, is applied: it does not grow at its end.
  ///
  /// - Parameter selection: In UTF-16 units; a caret if it is empty.
  /// - Returns: The selection in the text after the edit.
  package func map(selection: Range<Int>) -> Range<Int> {
    let start = map(caret: selection.lowerBound)
    return start..<max(start, map(caret: selection.upperBound, staysBefore: !selection.isEmpty))
  }

  /// A component, or a part of a substitution, with the length of its text at hand.
  private struct Piece {
    var position: Int
    var deleted: Int
    var inserted: String
    /// The UTF-16 units of `inserted`.
    var length: Int

    var end: Int { position + deleted }

    /// Whether its text stands for the range unit by unit; of a part, too, its length alone tells.
    var isSubstitution: Bool { deleted > 0 && length == deleted }

    /// Whether the text of this piece comes before that of another edit's piece.
    func precedes(_ other: Piece, winsTies: Bool) -> Bool {
      if position != other.position { return position < other.position }
      if (deleted == 0) != (other.deleted == 0) { return deleted == 0 }
      return winsTies
    }
  }

  /// Cuts the substitutions among some components at the edges of others that are strictly inside of them, and leaves
  /// out the parts whose range another one deletes.
  private static func pieces(of components: [Component], cutAtEdgesOf others: [Component]) -> [Piece] {
    var pieces: [Piece] = []
    pieces.reserveCapacity(components.count)
    var firstOther = 0
    for component in components {
      let length = component.inserted.utf16.count
      let whole = Piece(
        position: component.position, deleted: component.deleted, inserted: component.inserted,
        length: length)
      while firstOther < others.count, others[firstOther].end <= component.position { firstOther += 1 }
      guard whole.isSubstitution, firstOther < others.count else {
        pieces.append(whole)
        continue
      }
      var cuts: [Int] = []
      for other in others[firstOther...] {
        guard other.position < component.end else { break }
        for edge in [other.position, other.end] where edge > component.position && edge < component.end {
          if cuts.last != edge { cuts.append(edge) }
        }
      }
      let first = pieces.count
      append(whole, cutAt: cuts, to: &pieces)
      forget(from: first, of: &pieces, deletedBy: others[firstOther...])
    }
    return pieces
  }

  /// Leaves out the parts of a substitution that stand for what the other side deletes.
  ///
  /// A deletion is not taken back by a replacement of the units elsewhere. Places stay, since the parts are
  /// as long as their ranges.
  private static func forget(
    from first: Int, of pieces: inout [Piece], deletedBy others: ArraySlice<Component>
  ) {
    var next = others.startIndex
    pieces[first...].removeAll { piece in
      while next < others.endIndex, others[next].end <= piece.position { next += 1 }
      guard piece.isSubstitution, next < others.endIndex else { return false }
      let other = others[next]
      return other.position <= piece.position && piece.end <= other.end && !other.isSubstitution
    }
  }

  private static func append(_ whole: Piece, cutAt cuts: [Int], to pieces: inout [Piece]) {
    var rangeStart = 0
    var textStart = 0
    for cut in cuts + [whole.end] {
      let rangeEnd = cut - whole.position
      var textEnd = rangeEnd
      if whole.inserted.utf16.isInsidePair(textEnd, whole.length) { textEnd -= 1 }
      pieces.append(
        Piece(
          position: whole.position + rangeStart, deleted: rangeEnd - rangeStart,
          inserted: cuts.isEmpty ? whole.inserted : whole.inserted.units(textStart..<textEnd),
          length: textEnd - textStart))
      (rangeStart, textStart) = (rangeEnd, textEnd)
    }
  }

  /// One edit's pieces as they apply after the other edit.
  ///
  /// Both lists are walked once. `shift` is what the other's pieces to the left have added to positions.
  private static func rebased(_ mine: [Piece], over others: [Piece], winsTies: Bool) -> TextEdit {
    var builder = EditBuilder()
    var next = 0  // the first of the others whose text is not to the left
    var shift = 0  // the growth by the others before `next`
    for piece in mine {
      while next < others.count, !piece.precedes(others[next], winsTies: winsTies) {
        shift += others[next].length - others[next].deleted
        next += 1
      }
      // The last of those may reach over the place of the text; then its rest is no shift yet.
      let covered = next > 0 ? others[next - 1].end : 0
      var start = max(piece.position, covered)
      let isSubstitution = piece.isSubstitution
      builder.append(start + shift, 0, piece.inserted, isSubstitution: isSubstitution)
      while start < piece.end {
        guard next < others.count, others[next].position < piece.end else {
          builder.append(start + shift, piece.end - start, "", isSubstitution: isSubstitution)
          break
        }
        let other = others[next]
        if start < other.position {
          builder.append(start + shift, other.position - start, "", isSubstitution: isSubstitution)
        }
        shift += other.length - other.deleted
        next += 1
        start = max(start, other.end)
      }
    }
    return builder.edit
  }
}

extension TextEdit.Component {
  fileprivate var doesSomething: Bool { deleted > 0 || !inserted.isEmpty }

  /// By how many units it makes the text longer.
  fileprivate var growth: Int { inserted.utf16.count - deleted }

  /// An edit that does the same further to the right.
  fileprivate func moved(by units: Int) -> TextEdit {
    TextEdit(position: position + units, deleted: deleted, inserted: inserted)
  }
}
