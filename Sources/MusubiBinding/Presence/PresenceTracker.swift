// SPDX-License-Identifier: Apache-2.0
package import struct Foundation.Date
package import MusubiRx

/// Finds out who is in one room from what its pages do.
///
/// ```
/// page 1 ─┐ seat
/// page 2 ─┴──────▶ Entry: one person ──▶ relay: those who came first, at most every 200 ms
/// page 7 ────────▶ Entry
/// ```
///
/// A machine without a clock: it asks for work to be done later, and time is the number of those rounds. An input costs a few
/// stores; a round looks at all people. Confined to its room's loop.
package final class PresenceTracker {
  /// The times and limits.
  package struct Limits: Sendable {
    /// After how long without an input somebody is idle, at the earliest; at the latest a quarter later.
    package var idleAfter: Duration
    /// How many people are listed.
    package var maxPeople: Int
    /// How long a page may be away before it counts as gone: a reload takes less.
    package var grace: Duration = .milliseconds(700)
    /// The least time between two changes of what is shown.
    package var pause: Duration = .milliseconds(200)
    /// How long a round is in which typing is looked for.
    package var typingRound: Duration = .seconds(1)

    /// Limits.
    package init(idleAfter: Duration = .seconds(60), maxPeople: Int = 100) {
      self.idleAfter = max(idleAfter, .seconds(1))
      self.maxPeople = max(maxPeople, 0)
    }

    /// Those of a screen in a test: people come and go at once.
    static var ofTest: Limits {
      var limits = Limits()
      (limits.grace, limits.pause) = (.zero, .zero)
      return limits
    }
  }

  /// So many whole rounds without a key end typing.
  private static let typingRounds = 3
  /// So many whole rounds without an input make somebody idle.
  private static let idleRounds = 4

  /// A person.
  private final class Entry {
    let id: String
    let since: Date
    /// Ascends in the order of arrival.
    let number: Int
    var visitor: Visitor
    /// How many pages it has, with those that may come back at once.
    var pages = 0
    /// Whether an input has come in this round.
    var hasActed = true
    var quietRounds = 0
    var isIdle = false
    var typing: String?
    /// The page on which it types, and the round of its last key.
    var typingPage = 0
    var typedIn = 0

    init(id: String, since: Date, number: Int, visitor: Visitor) {
      (self.id, self.since, self.number, self.visitor) = (id, since, number, visitor)
    }
  }

  /// A page, and whose it is.
  private struct Seat {
    let page: Int
    let entry: Entry
    /// The number of its last departure; nil while it is here.
    var departure: Int?
  }

  private let limits: Limits
  private let now: () -> Date
  private let later: (Duration, @escaping () -> Void) -> Void
  private let relay = BehaviorRelay(value: Presence.nobody)
  /// Where screens follow it from elsewhere; nil if none does.
  private weak var followed: SharedRelay<Presence>?
  /// Brings it to screens of other servers; nil if none follows it.
  private var onward: ((Presence) -> Void)?
  /// The people in the order of their arrival.
  private var entries: [Entry] = []
  /// The pages, by their numbers.
  private var seats: [Seat] = []
  private var byVisitor: [String: Entry] = [:]
  private var typists: [Entry] = []
  private var lastNumber = 0
  private var lastDeparture = 0
  private var typingRound = 0
  private var isLookingForTyping = false
  private var isLookingForIdle = false
  private var isPaused = false
  private var hasNews = false

  /// A tracker of an empty room.
  ///
  /// - Parameters:
  ///   - limits: The times and limits.
  ///   - now: What time it is.
  ///   - later: Has work run after a time, where the tracker lives.
  package init(
    _ limits: Limits, now: @escaping () -> Date,
    later: @escaping (_ time: Duration, _ work: @escaping () -> Void) -> Void
  ) {
    self.limits = limits
    self.now = now
    self.later = later
  }

  /// Who is here.
  package var presence: Driver<Presence> { relay.asDriver() }

  /// About how many bytes of heap it takes.
  package var heapBytes: Int { 256 + entries.count * 160 + seats.count * 48 + relay.value.people.count * 96 }

  // MARK: - Other rooms

  /// Tells screens elsewhere, too, who is here.
  ///
  /// - Parameters:
  ///   - relay: Where screens of this server follow it; nil if none does.
  ///   - onward: Brings it to other servers; nil if no screen there follows it.
  package func tell(_ relay: SharedRelay<Presence>?, onward: ((Presence) -> Void)? = nil) {
    (followed, self.onward) = (relay, onward)
    tellElsewhere(self.relay.value)
  }

  private func tellElsewhere(_ presence: Presence) {
    followed?.accept(presence)
    onward?(presence)
  }

  /// The room goes on elsewhere, where others tell who is in it.
  package func abandon() { (followed, onward) = (nil, nil) }

  /// The room has ended.
  package func end() { tellElsewhere(.nobody) }

  // MARK: - Pages

  /// A page shows the room.
  package func enter(page: Int, _ visitor: Visitor) {
    let place = place(of: page)
    if place < seats.count, seats[place].page == page {
      seats[place].departure = nil
    } else {
      let entry = visitor.id.flatMap { byVisitor[$0] } ?? newEntry(page, visitor)
      entry.pages += 1
      seats.insert(Seat(page: page, entry: entry), at: place)
    }
    let entry = seats[place].entry
    noteInput(of: entry)
    if entry.visitor != visitor {
      entry.visitor = visitor
      noteNews(of: entry)
    }
    showNews()
  }

  /// A page no longer shows the room; it may come back at once.
  package func leave(page: Int) {
    let place = place(of: page)
    guard place < seats.count, seats[place].page == page, seats[place].departure == nil else { return }
    lastDeparture += 1
    let departure = lastDeparture
    seats[place].departure = departure
    guard limits.grace > .zero else { return end(departure, of: page) }
    later(limits.grace) { [weak self] in self?.end(departure, of: page) }
  }

  private func end(_ departure: Int, of page: Int) {
    let place = place(of: page)
    guard place < seats.count, seats[place].page == page, seats[place].departure == departure else { return }
    let entry = seats.remove(at: place).entry
    entry.pages -= 1
    if entry.typingPage == page { endTyping(of: entry) }
    if entry.pages == 0 {
      entries.remove(at: Self.firstPlace(in: entries) { $0.number >= entry.number })
      if let id = entry.visitor.id { byVisitor[id] = nil }
      hasNews = true
    }
    showNews()
  }

  private func newEntry(_ page: Int, _ visitor: Visitor) -> Entry {
    lastNumber += 1
    let entry = Entry(id: "\(page)", since: now(), number: lastNumber, visitor: visitor)
    entries.append(entry)
    if let id = visitor.id { byVisitor[id] = entry }
    hasNews = true
    return entry
  }

  /// The place of a page, or where it would be.
  private func place(of page: Int) -> Int { Self.firstPlace(in: seats) { $0.page >= page } }

  /// The first place whose element is far enough; those behind it are, too.
  private static func firstPlace<Element>(in all: [Element], _ isFarEnough: (Element) -> Bool) -> Int {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if isFarEnough(all[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  // MARK: - Inputs

  /// A page has sent an input.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - text: The name of the two-way text that it changes; nil for anything else, which ends the page's typing.
  package func noteInput(page: Int, text: String?) {
    let place = place(of: page)
    guard place < seats.count, seats[place].page == page else { return }
    let entry = seats[place].entry
    noteInput(of: entry)
    if let text {
      (entry.typingPage, entry.typedIn) = (page, typingRound)
      if entry.typing != text { begin(text, entry) }
    } else if entry.typingPage == page {
      endTyping(of: entry)
    }
    showNews()
  }

  private func noteInput(of entry: Entry) {
    entry.hasActed = true
    if entry.isIdle {
      entry.isIdle = false
      noteNews(of: entry)
    }
    guard !isLookingForIdle else { return }
    isLookingForIdle = true
    planIdleRound()
  }

  private func begin(_ text: String, _ entry: Entry) {
    if entry.typing == nil { typists.append(entry) }
    entry.typing = text
    noteNews(of: entry)
    guard !isLookingForTyping else { return }
    isLookingForTyping = true
    planTypingRound()
  }

  private func endTyping(of entry: Entry) {
    guard entry.typing != nil else { return }
    entry.typing = nil
    typists.removeAll { $0 === entry }
    noteNews(of: entry)
  }

  private func planTypingRound() {
    later(limits.typingRound) { [weak self] in
      guard let self else { return }
      typingRound += 1
      for entry in typists where typingRound - entry.typedIn > Self.typingRounds { endTyping(of: entry) }
      isLookingForTyping = !typists.isEmpty
      if isLookingForTyping { planTypingRound() }
      showNews()
    }
  }

  private func planIdleRound() {
    later(limits.idleAfter / Self.idleRounds) { [weak self] in
      guard let self else { return }
      isLookingForIdle = false
      for entry in entries where !entry.isIdle {
        entry.quietRounds = entry.hasActed ? 0 : entry.quietRounds + 1
        entry.hasActed = false
        entry.isIdle = entry.quietRounds >= Self.idleRounds
        if entry.isIdle { noteNews(of: entry) } else { isLookingForIdle = true }
      }
      if isLookingForIdle { planIdleRound() }
      showNews()
    }
  }

  // MARK: - What is shown

  /// Something of a person has changed, which is news if the person is listed.
  private func noteNews(of entry: Entry) {
    if entries.count <= limits.maxPeople || entry.number < entries[limits.maxPeople].number { hasNews = true }
  }

  /// Shows what has changed: now, or when the last change is long enough ago.
  private func showNews() {
    guard hasNews, !isPaused else { return }
    hasNews = false
    let people = entries.prefix(limits.maxPeople).map {
      Presence.Person(id: $0.id, visitor: $0.visitor, since: $0.since, isIdle: $0.isIdle, typing: $0.typing)
    }
    let presence = Presence(people, count: entries.count)
    guard presence != relay.value else { return }
    if limits.pause > .zero {
      isPaused = true
      later(limits.pause) { [weak self] in
        self?.isPaused = false
        self?.showNews()
      }
    }
    relay.accept(presence)
    tellElsewhere(presence)
  }
}
