// SPDX-License-Identifier: Apache-2.0

/// The texts that a ViewModel was given and may still answer, and the changes of each since.
///
/// ```
/// question ── people ──► what it would be without the ViewModel's later changes ◄── takeBack ── document
///     │ edit                          │ edit′
///     ▼                               ▼
///  answer                  what the document becomes
/// ```
///
/// An answer knows nothing of the answers to earlier questions that have arrived since it was asked: it takes their
/// place, and keeps what people have done. Empty for ViewModels that answer at once.
struct TextQuestions {
  private struct Question {
    let text: String
    /// People's changes since then, as an edit of `text`.
    var people = TextEdit([])
    /// The edit of the document that takes back what the ViewModel has changed since.
    var takeBack = TextEdit([])
  }

  /// Most questions that are kept.
  private static let limit = 64
  /// Most bytes of the texts that are kept, except for the newest.
  private static let maxBytes = 1 << 20
  private var open: [Question] = []
  private var bytes = 0

  /// The bytes of heap that they take.
  var heapBytes: Int {
    open.reduce(HeapSize.array(open)) {
      $0 + HeapSize.text($1.text) + $1.people.heapBytes + $1.takeBack.heapBytes
    }
  }

  /// Adds a text; the oldest ones are forgotten if there are too many.
  mutating func append(_ text: String) {
    open.append(Question(text: text))
    bytes += text.utf8.count
    while open.count > Self.limit || (bytes > Self.maxBytes && open.count > 1) {
      bytes -= open.removeFirst().text.utf8.count
    }
  }

  /// Follows a change of the document.
  ///
  /// - Parameters:
  ///   - edit: The change.
  ///   - text: The document before it.
  ///   - isViewModels: Whether the ViewModel made it.
  mutating func follow(_ edit: TextEdit, of text: String, isViewModels: Bool) {
    guard !open.isEmpty, !edit.isEmpty else { return }
    let inverse = isViewModels ? edit.inverse(of: text) : nil
    for index in open.indices {
      if let inverse {
        open[index].takeBack = inverse.compose(then: open[index].takeBack)
      } else {
        let both = TextEdit.transform(edit, open[index].takeBack)
        open[index].people = open[index].people.compose(then: both.p)
        open[index].takeBack = both.s
      }
    }
  }

  /// Answers a question; it and all before it are settled.
  ///
  /// - Parameters:
  ///   - newText: The answer.
  ///   - question: The text that it answers.
  ///   - document: The document now.
  /// - Returns: What changes in the document; nil if the question is not known.
  mutating func answer(_ newText: String, to question: String, in document: String) -> TextEdit? {
    // Of equal questions the oldest: a ViewModel that answers each of them does so in order.
    guard let index = open.firstIndex(where: { $0.text.hasSameBytes(as: question) }) else { return nil }
    let asked = open[index]
    open.removeSubrange(...index)
    bytes = open.reduce(0) { $0 + $1.text.utf8.count }
    let made = TextEdit.diff(from: asked.text, to: newText)
    // The change itself, and not the difference of the texts before and after it: that would no longer know which
    // unit stands for which, and what people type meanwhile would be put beside others.
    let moved = TextEdit.transform(made, asked.people).p
    return asked.takeBack.compose(then: moved).reduced(in: document)
  }
}
