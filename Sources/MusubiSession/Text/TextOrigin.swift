// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// What a page knew of a text before the room lost its memory, and how the text has changed since.
///
/// Pages come back one by one, and each has seen another part of the old stream. What a page had not seen acknowledged
/// it sends again, under the number that it had; and a page that comes later may have seen it taken.
///
/// ```
/// first page's text ── n1 n2 n3 ──► document      n2 is in the later page's text, too: it is in the text
///        │ n2                           │         that both know, and so is neither new nor missing
///        ▼                              ▼ merge
///  what both know ───────────► later page's text
/// ```
final class TextOrigin {
  /// The old stream of turns.
  let epoch: String
  /// The newest revision of it that a page has told.
  private(set) var revision: Int
  private let text: String

  /// Who has made a step.
  enum Source: Equatable {
    /// A person, by an input.
    case author(SharedText.Author)
    /// The ViewModel, of the text that it was given: it makes the same of what others know.
    case rewriting
    /// Another page that has told more of the old stream.
    case oldStream
    /// The ViewModel of its own accord, or a client that sends whole values.
    case other
  }

  private var steps: [(edit: TextEdit, source: Source)] = []
  private var bytes = 0
  /// Whether all steps are kept; if not, both know the first page's text, and what both have changed alike is found by
  /// comparing.
  private var isComplete = true

  /// Most steps that are kept, and most bytes of them.
  private static let limit = (steps: 4_096, bytes: 1 << 20)

  init(_ known: ClientFrame.Restore) {
    epoch = known.epoch
    revision = known.revision
    text = known.text
  }

  /// Takes over what a page knew of later revisions.
  ///
  /// - Parameters:
  ///   - edit: The change of the document.
  ///   - revision: The page's revision.
  func takeOver(_ edit: TextEdit, revision: Int) {
    self.revision = revision
    follow(edit, by: .oldStream)
  }

  /// Follows a change of the document.
  func follow(_ edit: TextEdit, by source: Source) {
    guard isComplete else { return }
    steps.append((edit, source))
    bytes += edit.components.reduce(32) { $0 + $1.inserted.utf8.count }
    guard steps.count > Self.limit.steps || bytes > Self.limit.bytes else { return }
    isComplete = false
    steps = []
  }

  /// What a page knows beyond the document.
  ///
  /// - Parameters:
  ///   - known: The page's text.
  ///   - document: The document.
  /// - Returns: An edit of the document.
  /// - Throws: `WireError` if the steps do not fit, which is a mistake of this code.
  func merge(_ known: ClientFrame.Restore, into document: String) throws(WireError) -> TextEdit {
    let toBegin = try takeBack(by: [:])
    let toCommon = try takeBack(by: known.by)
    let common = try toCommon.applied(to: document)
    let sentAgain = toBegin.inverse(of: document).compose(then: toCommon)
    let news = TextEdit.diff(
      from: common, to: known.text, byPlace: false, maximumCost: TextEdit.maximumMergeCost)
    return TextEdit.merge(
      news.withoutMoves(ofInsertedBy: sentAgain, in: common), into: document, from: common)
  }

  /// The edit of the document that takes back what a page does not know.
  ///
  /// - Parameter by: The last inputs of authors that are part of the page's text.
  /// - Returns: The edit.
  /// - Throws: `WireError` if the steps do not fit.
  private func takeBack(by: [String: Int]) throws(WireError) -> TextEdit {
    var document = text
    var takeBack = TextEdit([])
    for step in steps {
      let moved: TextEdit? =
        switch step.source {
        case .author(let author) where author.input <= by[author.name] ?? 0: takeBack.moved(over: step.edit)
        case .oldStream: takeBack.moved(over: step.edit)
        case .rewriting: takeBack.moved(overRewriting: step.edit)
        case .author, .other: nil
        }
      // What is not known, or cannot be told from it, is taken back before all that was to be taken back so far.
      takeBack = moved ?? step.edit.inverse(of: document).compose(then: takeBack)
      try step.edit.apply(to: &document)
    }
    return takeBack
  }
}

extension TextEdit {
  fileprivate func moved(over step: TextEdit) -> TextEdit {
    TextEdit.transform(step, self).s
  }

  /// Moves an edit over a rewriting of the same text, and has it delete what was made of what it deletes; nil if the
  /// rewriting has made one text of what it deletes and of other things.
  fileprivate func moved(overRewriting step: TextEdit) -> TextEdit? {
    let (left, undone) = step.left(beside: self)
    let isMixed = left.runs.contains { made in
      !made.inserted.isEmpty
        && components.contains {
          $0.position < made.position + made.deleted && made.position < $0.position + $0.deleted
        }
    }
    return isMixed ? nil : undone.compose(then: moved(over: left))
  }

  /// This edit without the moves of what another one has inserted into the text before.
  ///
  /// What was sent again stands where the new room has ordered it, and so does what its author typed behind it; the old
  /// room may have ordered it otherwise. It stays with its author's.
  fileprivate func withoutMoves(ofInsertedBy insertion: TextEdit, in text: String) -> TextEdit {
    var ranges: [Range<Int>] = []
    var shift = 0
    for component in insertion.components {
      let (start, length) = (component.position + shift, component.inserted.utf16.count)
      ranges.append(start..<(start + length))
      shift += length - component.deleted
    }
    let deletions = components.map { part in
      ranges.map { $0.clamped(to: part.position..<(part.position + part.deleted)) }.filter { !$0.isEmpty }
    }
    var gone: [Unicode.Scalar: Int] = [:]
    for range in deletions.joined() { for scalar in text.scalars(range) { gone[scalar, default: 0] += 1 } }
    var stays: [Unicode.Scalar: Int] = [:]
    var result: [Component] = []
    for part in components {
      var inserted = String.UnicodeScalarView()
      for scalar in part.inserted.unicodeScalars {
        if let count = gone[scalar], count > 0 {
          gone[scalar] = count - 1
          stays[scalar, default: 0] += 1
        } else {
          inserted.append(scalar)
        }
      }
      result.append(Component(position: part.position, deleted: part.deleted, inserted: String(inserted)))
    }
    guard !stays.isEmpty else { return self }
    var kept: [Component] = []
    for (part, ranges) in zip(result, deletions) {
      // What is put there comes before what stays of the range.
      var start = part.position
      var inserted = part.inserted
      for range in ranges {
        var position = range.lowerBound
        for scalar in text.scalars(range) {
          let width = UTF16.width(scalar)
          if let count = stays[scalar], count > 0 {
            stays[scalar] = count - 1
            kept.append(Component(position: start, deleted: position - start, inserted: inserted))
            (start, inserted) = (position + width, "")
          }
          position += width
        }
      }
      kept.append(
        Component(position: start, deleted: part.position + part.deleted - start, inserted: inserted))
    }
    return TextEdit(kept).typed
  }
}

extension String {
  fileprivate func scalars(_ range: Range<Int>) -> Substring.UnicodeScalarView {
    let start = utf16.index(startIndex, offsetBy: range.lowerBound)
    return self[start..<utf16.index(start, offsetBy: range.count)].unicodeScalars
  }
}
