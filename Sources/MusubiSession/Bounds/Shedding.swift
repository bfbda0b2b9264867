// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// Frees memory when a loop's sessions and rooms take more than they may: of the peer that holds most, the newest that
/// nobody shows goes first.
///
/// A page that has said good-bye goes before one whose connection was lost. What a peer holds above its own limit goes
/// first of all; if that is not enough, its newest pages are closed, one at a time. It runs at the end of an iteration, some things
/// at a time, so that it keeps nobody waiting.
final class Shedding {
  private unowned let sessions: SessionDirectory
  private let memory: MemoryLedger
  /// The visits whose pages have not said yet which session they resume; the newest last.
  var strangers: () -> [Visit] = { [] }
  private var plan: Plan?
  /// When it looks again, because something was not stored yet and could not go; nil if nothing more will go by itself.
  private var retry: Duration?
  /// When it looked last: refusals alone have it look at everything now and then, and not each time.
  private var looked: Duration?
  /// Whether something could not go.
  private var hasFailed = false
  /// How many things have gone since the log was told.
  private var count = 0

  /// The most things that go in one iteration.
  private static let stride = 128
  /// How long it waits until it looks at the same again.
  private static let pause = Duration.milliseconds(100)

  init(_ sessions: SessionDirectory) {
    self.sessions = sessions
    memory = sessions.memory
  }

  /// When there is more to do; the beginning of time stands for the next iteration.
  var nextDeadline: Duration? {
    if plan != nil || memory.isExceeded { return .zero }
    return .earlier(retry, memory.isWanted ? looked.map { $0 + Self.pause } ?? .zero : nil)
  }

  /// Frees so many bytes, whatever the budget is, because the process itself has hardly any left.
  func free(_ bytes: Int) {
    // Whom a plan under way had noticed is noticed again.
    for account in plan?.crowded ?? [] { account.isWanted = true }
    plan = Plan(sessions, memory, target: max(0, memory.total - bytes))
    run()
  }

  /// The end of an iteration.
  func run() {
    if self.plan == nil { looked = sessions.environment.clock() }
    var plan =
      self.plan
      ?? Plan(sessions, memory, target: memory.total > memory.limit ? memory.limit - memory.limit / 8 : .max)
    let before = count
    while count < before + Self.stride, let next = plan.next() {
      if letGo(next) { count += 1 } else { hasFailed = true }
    }
    guard count < before + Self.stride else {
      self.plan = plan
      return
    }
    self.plan = nil
    // A session that has gone may leave a room that nobody shows any more, once that is stored.
    let looksAgain = hasFailed || (count > 0 && plan.isShort)
    retry = looksAgain ? sessions.environment.clock() + Self.pause : nil
    hasFailed = false
    memory.settle(looksAgain: closePage(of: plan.crowded))
    if count > 0 { sessions.environment.observe?(.shed(count: count, bytes: memory.total)) }
    count = 0
  }

  private func letGo(_ thing: Unshown) -> Bool {
    switch thing {
    // What is stored leaves memory, and ends only if the store takes nothing.
    case .session(let session, _) where session.isStored && !sessions.committer.isFailing:
      sessions.unload(session)
    case .session(let session, let since): sessions.letGo(session, since: since)
    case .room(let room, _) where room.keeping != nil && !sessions.committer.isFailing:
      sessions.rooms.unload(room)
    case .room(let room, let since): sessions.rooms.letGo(room, since: since)
    }
  }

  /// Closes the newest page of a peer that holds too much although nothing is left that nobody shows; that of the one
  /// that holds most if all together hold far too much.
  ///
  /// Only one: it may be too much for several of its peers, and what it has left goes next.
  ///
  /// - Returns: Whether there was one.
  private func closePage(of crowded: [Account]) -> Bool {
    let above = crowded.filter { $0.bytes > $0.maxBytes }
    // A visitor's own page goes before one of others who share the address.
    var accounts = above.filter(\.isIdentity) + above.filter { !$0.isIdentity }
    if memory.total > memory.limit, memory.total - memory.limit > memory.limit / 8,
      let heaviest = memory.all.max(by: { $0.weight < $1.weight })
    {
      accounts.append(heaviest)
    }
    for account in accounts where closeNewest(of: account) {
      count += 1
      return true
    }
    return false
  }

  private func closeNewest(of account: Account) -> Bool {
    // Who has no session yet loses nothing.
    if let stranger = strangers().last(where: { $0.backlog?.charge.owner.pays(account) ?? false }) {
      stranger.close(.overBudget)
      return true
    }
    let pages = sessions.all.filter { $0.visit != nil && $0.charge.owner.pays(account) }
    guard let newest = pages.max(by: { $0.number < $1.number }) else { return false }
    sessions.turnAway(newest)
    return true
  }
}

/// A thing that nobody shows, since then.
enum Unshown {
  case session(Session, since: Duration)
  case room(Room, since: Duration)
}

/// The order in which things go.
private struct Plan {
  /// The peers above their own limits when the plan was made, or that were refused because of them.
  let crowded: [Account]
  private var stocks: HeaviestFirst<Stock>
  private let memory: MemoryLedger
  private let rooms: RoomDirectory
  /// The total below which it ends, and the number of rooms.
  private let target: Int
  private let maxRooms: Int
  private var crowdedIndex = 0

  /// What one peer has that nobody shows, each oldest first.
  private final class Stock: PeerStock {
    let account: Account
    var farewells: [(Session, Duration)] = []
    var lost: [(Session, Duration)] = []
    var rooms: [(Room, Duration)] = []

    init(_ account: Account) { self.account = account }

    func popNext() -> Unshown? {
      if let (session, since) = farewells.popLast() { return .session(session, since: since) }
      if let room = rooms.last, room.1 >= lost.last?.1 ?? .zero {
        rooms.removeLast()
        return .room(room.0, since: room.1)
      }
      return lost.popLast().map { .session($0.0, since: $0.1) }
    }
  }

  init(_ sessions: SessionDirectory, _ memory: MemoryLedger, target: Int) {
    self.memory = memory
    self.target = target
    rooms = sessions.rooms
    maxRooms = rooms.targetCount
    crowded = memory.beginLook()
    var byAccount: [ObjectIdentifier: Stock] = [:]
    func add(_ owner: Owner, _ change: (Stock) -> Void) {
      for account in owner.accounts {
        let stock = byAccount[ObjectIdentifier(account)] ?? Stock(account)
        byAccount[ObjectIdentifier(account)] = stock
        change(stock)
      }
    }
    for (session, since) in sessions.unshown {
      add(session.charge.owner) {
        if session.saidFarewell {
          $0.farewells.append((session, since))
        } else {
          $0.lost.append((session, since))
        }
      }
    }
    for (room, since) in sessions.rooms.unshown { add(room.charge.owner) { $0.rooms.append((room, since)) } }
    stocks = HeaviestFirst(byAccount.values)
  }

  /// Whether not enough has gone.
  var isShort: Bool { isTooMuch || crowded.contains { $0.bytes > $0.maxBytes } }

  private var isTooMuch: Bool { memory.total > target || rooms.count > maxRooms }

  /// What goes next; nil if enough has gone, or nothing is left.
  mutating func next() -> Unshown? {
    while crowdedIndex < crowded.count {
      let account = crowded[crowdedIndex]
      if account.bytes > account.maxBytes - account.maxBytes / 8, let thing = stocks.next(of: account) {
        return thing
      }
      crowdedIndex += 1
    }
    return isTooMuch ? stocks.next() : nil
  }
}
