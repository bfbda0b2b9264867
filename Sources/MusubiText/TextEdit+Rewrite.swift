// SPDX-License-Identifier: Apache-2.0

extension TextEdit {
  /// The rest of a ViewModel's rewriting beside people's changes of the same text.
  ///
  /// To `transform` the text of a replacement is somebody's typing unless it is a substitution, and survives. Here it is
  /// known to be none: where people have deleted all that it stands for, it goes with that.
  ///
  /// - Parameter edit: What people have changed.
  /// - Returns: `rewriting`, this edit without the places that were deleted, and `undone`, an edit of the text that
  ///   *this* one makes, which undoes those places. What `undone` puts there has the right length only: `edit`, moved
  ///   over `rewriting`, deletes it.
  package func left(beside edit: TextEdit) -> (rewriting: TextEdit, undone: TextEdit) {
    var rewriting = EditBuilder()
    var undone = EditBuilder()
    let others = edit.normalized.components
    var next = 0
    var shift = 0
    for piece in Self.pieces(of: normalized.components, cutAtEdgesOf: others, forgets: false).runs {
      while next < others.count, others[next].end <= piece.position { next += 1 }
      if piece.deleted > 0, next < others.count, others[next].position <= piece.position,
        piece.end <= others[next].end
      {
        undone.append(piece.position + shift, piece.length, String(repeating: " ", count: piece.deleted))
      } else {
        rewriting.append(
          piece.position, piece.deleted, piece.inserted, isSubstitution: piece.isSubstitution)
      }
      shift += piece.length - piece.deleted
    }
    return (rewriting.edit, undone.edit)
  }
}

extension [TextEdit.Piece] {
  /// The pieces with an insertion and a deletion at one position as one replacement.
  var runs: [TextEdit.Piece] {
    var runs: [TextEdit.Piece] = []
    for piece in self {
      if let last = runs.indices.last, runs[last].deleted == 0, runs[last].position == piece.position {
        runs[last].deleted = piece.deleted
      } else {
        runs.append(piece)
      }
    }
    return runs
  }
}
