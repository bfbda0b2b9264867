// SPDX-License-Identifier: Apache-2.0

/// The pages of a loop that wait until somebody knows where they are at home; nothing is read from them.
///
/// A slot whose owner has died has no home for a second or so, and a node that has just started knows of none.
struct WaitingPages {
  private var pages: [Int: Entry] = [:]
  private var deadlines = DeadlineQueue<Int>()
  /// Whether something was heard that some of them may wait for.
  var hasNews = false

  private struct Entry {
    let page: VisitProxy
    let deadline: Duration
  }

  /// How many there are.
  var count: Int { pages.count }

  /// Whether some of them may go on.
  var isDue: Bool { hasNews && !pages.isEmpty }

  /// When the first of them has waited long enough; a bit early if that one has gone.
  var nextDeadline: Duration? { pages.isEmpty ? nil : deadlines.nextDeadline }

  /// Adds a page.
  mutating func add(_ page: VisitProxy, until deadline: Duration) {
    pages[page.number] = Entry(page: page, deadline: deadline)
    deadlines.insert(page.number, at: deadline)
  }

  /// A page has gone, or goes on.
  mutating func remove(_ number: Int) {
    pages[number] = nil
    if pages.isEmpty { deadlines = DeadlineQueue() }
  }

  /// Takes out a page that has waited long enough.
  mutating func take(at now: Duration) -> VisitProxy? {
    while let number = deadlines.take(at: now) {
      // It may have gone on, and wait again.
      guard let entry = pages[number], entry.deadline <= now else { continue }
      remove(number)
      return entry.page
    }
    return nil
  }

  /// All of them, in the order in which they came to this loop.
  var all: [VisitProxy] { pages.sorted { $0.key < $1.key }.map(\.value.page) }
}
