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
    /// A person whose client sends whole values, or takes back what was sent again.
    case anonymous
    /// The ViewModel of its own accord.
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
    guard isComplete else {
      return TextEdit.merge(known.text, into: document, from: text, byPlace: false)
    }
    let toBegin = try takeBack(by: [:]).whole
    let toCommon = try takeBack(by: known.by)
    let typed = try toCommon.rewriting.applied(to: document)
    let common = try toCommon.people.applied(to: typed)
    let sentAgain = toBegin.inverse(of: document).compose(then: toCommon.whole)
    // What is missing there is known unit by unit: a comparison would take capitals for another text, and put what is new
    // between them behind it.
    let (missing, made) = (toCommon.people.inverse(of: typed), toCommon.rewriting.inverse(of: document))
    let news = TextEdit.diff(
      from: common, to: known.text, orRewrittenBy: TextEdit.transform(toCommon.people, made).s)
    return news.withoutMoves(ofInsertedBy: sentAgain, in: common).merged(with: missing).merged(with: made)
  }

  /// What takes back what a page does not know.
  ///
  /// - Parameter by: The last inputs of authors that are part of the page's text.
  /// - Returns: The edits of the document.
  /// - Throws: `WireError` if the steps do not fit.
  private func takeBack(by: [String: Int]) throws(WireError) -> TakeBack {
    var document = text
    var takeBack = TakeBack()
    for step in steps {
      switch step.source {
      case .author(let author) where author.input <= by[author.name] ?? 0: takeBack.follow(step.edit)
      case .oldStream: takeBack.follow(step.edit)
      case .author, .anonymous: try takeBack.add(typed: step.edit, of: document)
      case .rewriting: if !takeBack.follow(rewriting: step.edit) { fallthrough }
      case .other: takeBack.add(rewriting: step.edit, of: document)
      }
      try step.edit.apply(to: &document)
    }
    return takeBack
  }
}

/// Two edits, one after the other, that take back what some page does not know.
///
/// They are not one: what the ViewModel has rewritten unit by unit would join what was typed beside it.
private struct TakeBack {
  /// Takes back what the ViewModel has made.
  private(set) var rewriting = TextEdit([])
  /// Takes back what people have typed; an edit of the text that `rewriting` makes.
  private(set) var people = TextEdit([])

  /// Both as one.
  var whole: TextEdit { rewriting.compose(then: people) }

  /// Follows a change that the page knows.
  mutating func follow(_ edit: TextEdit) {
    let moved = TextEdit.transform(edit, rewriting)
    rewriting = moved.s
    people = TextEdit.transform(moved.p, people).s
  }

  /// Follows a rewriting of the same text, and deletes what was made of what is deleted.
  ///
  /// - Parameter edit: The rewriting.
  /// - Returns: Whether it could; not, if the rewriting has made one text of what is deleted and of other things.
  mutating func follow(rewriting edit: TextEdit) -> Bool {
    guard let (first, rest) = rewriting.moved(overRewriting: edit),
      let (second, _) = people.moved(overRewriting: rest)
    else { return false }
    (rewriting, people) = (first, second)
    return true
  }

  /// Takes back what the ViewModel has made, before all that was to be taken back so far.
  mutating func add(rewriting edit: TextEdit, of text: String) {
    rewriting = edit.inverse(of: text).compose(then: rewriting)
  }

  /// Takes back what a person has typed.
  ///
  /// - Parameters:
  ///   - edit: The change.
  ///   - text: The document before it.
  /// - Throws: `WireError` if it does not fit.
  mutating func add(typed edit: TextEdit, of text: String) throws(WireError) {
    let before = try rewriting.applied(to: text)
    let moved = TextEdit.transform(edit, rewriting)
    rewriting = moved.s
    people = moved.p.inverse(of: before).compose(then: people)
  }
}

extension TextEdit {
  /// Moves an edit over a rewriting of the same text, and has it delete what was made of what it deletes; nil if the
  /// rewriting has made one text of what it deletes and of other things.
  ///
  /// - Parameter step: The rewriting.
  /// - Returns: The edit, and the rewriting moved over it.
  fileprivate func moved(overRewriting step: TextEdit) -> (TextEdit, rewriting: TextEdit)? {
    let (left, undone) = step.left(beside: self)
    let isMixed = left.runs.contains { made in
      !made.inserted.isEmpty
        && components.contains {
          $0.position < made.position + made.deleted && made.position < $0.position + $0.deleted
        }
    }
    guard !isMixed else { return nil }
    let moved = TextEdit.transform(left, self)
    return (undone.compose(then: moved.s), moved.p)
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
