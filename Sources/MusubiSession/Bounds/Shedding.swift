// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// Frees memory when a loop's sessions and rooms take more than they may: of the peer that holds most, the newest that
/// nobody shows goes first.
///
/// A page that has said good-bye goes before one whose connection was lost, and what has a task under way goes last. What a
/// peer holds above its own limit goes first of all; if that is not enough, its newest pages are closed, one at a time. It
/// runs at the end of an iteration, some things at a time, so that it keeps nobody waiting.
final class Shedding {
  private unowned let sessions: SessionDirectory
  private let memory: MemoryLedger
  /// The visits whose pages have not said yet which session they resume; the newest last.
  var strangers: () -> [Visit] = { [] }
  private var plan: FreeingPlan<Stock>?
  /// When it looks again, because something was not stored yet and could not go; nil if nothing more will go by itself.
  private var retry: Duration?
  /// When it looked last: refusals alone have it look at everything now and then, and not each time.
  private var looked: Duration?
  /// Whether something could not go.
  private var hasFailed = false
  /// Since when something could not go, or another page had to be closed because of that; nil if all could.
  private var stuckSince: Duration?
  /// How many things have gone since the log was told.
  private var count = 0

  /// The most things that go in one iteration.
  private static let stride = 128
  /// How long it waits until it looks at the same again.
  private static let pause = Duration.milliseconds(100)
  /// How long pages stay open meanwhile; also how long it waits while the store refuses changes.
  private static let closeDelay = Duration.seconds(1)

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
    plan = makePlan(target: max(0, memory.total - bytes))
    run()
  }

  /// The end of an iteration.
  func run() {
    if self.plan == nil { looked = sessions.environment.clock() }
    var plan =
      self.plan ?? makePlan(target: memory.total > memory.limit ? memory.limit - memory.limit / 8 : .max)
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
    let goesOn = count > 0 && plan.isShort
    let now = sessions.environment.clock()
    stuckSince = hasFailed ? stuckSince ?? now : nil
    retry = hasFailed ? now + (sessions.committer.isFailing ? Self.closeDelay : Self.pause) : nil
    let mayWait = stuckSince.map { now < $0 + Self.closeDelay } ?? false
    let hasClosed = !goesOn && !mayWait && closePage(of: plan.crowded)
    if hasClosed { stuckSince = now }
    hasFailed = false
    memory.settle(looksAgain: goesOn || hasClosed)
    if count > 0 { sessions.environment.observe?(.shed(count: count, bytes: memory.total)) }
    count = 0
  }

  /// Frees until the total is below the target, and as many rooms as may be are left.
  private func makePlan(target: Int) -> FreeingPlan<Stock> {
    let (memory, rooms, maxRooms) = (memory, sessions.rooms, sessions.rooms.targetCount)
    return FreeingPlan(of: memory.beginLook(), sessions.unshownStocks) {
      memory.total > target || rooms.count > maxRooms
    }
  }

  private func letGo(_ thing: Unshown) -> Bool {
    switch thing {
    // What is stored leaves memory, as soon as all of it is; only the store's own budget ends it.
    case .session(let session, _) where session.isStored: sessions.unload(session)
    case .session(let session, let since): sessions.letGo(session, since: since)
    case .room(let room, _) where room.keeping != nil: sessions.rooms.unload(room)
    case .room(let room, let since): sessions.rooms.letGo(room, since: since)
    }
  }

  /// Closes the newest page of a peer that holds too much although nothing is left that nobody shows; that of the one
  /// that holds most, of those who show something, if all together hold far too much.
  ///
  /// Only one: it may be too much for several of its peers, and what it has left goes next.
  ///
  /// - Returns: Whether there was one.
  private func closePage(of crowded: [Account]) -> Bool {
    let above = crowded.filter { $0.bytes > $0.maxBytes }
    let isFarAbove = memory.total > memory.limit && memory.total - memory.limit > memory.limit / 8
    guard isFarAbove || !above.isEmpty else { return false }
    // Who has no session yet loses nothing: the newest is the last.
    let pages = sessions.all.filter { $0.visit != nil }.sorted { $0.number < $1.number }
    let strangers = strangers().filter { $0.backlog != nil }
    // A visitor's own page goes before one of others who share the address.
    var accounts = above.filter(\.isIdentity) + above.filter { !$0.isIdentity }
    if isFarAbove {
      let owners = pages.map { $0.charge.owner } + strangers.compactMap { $0.backlog?.charge.owner }
      accounts += owners.flatMap(\.accounts).max { $0.weight < $1.weight }.map { [$0] } ?? []
    }
    for account in accounts {
      if let stranger = strangers.last(where: { $0.backlog?.charge.owner.pays(account) ?? false }) {
        stranger.close(.overBudget)
      } else if let page = pages.last(where: { $0.charge.owner.pays(account) }) {
        sessions.turnAway(page)
      } else {
        continue
      }
      count += 1
      return true
    }
    return false
  }
}

/// A thing that nobody shows, since then.
enum Unshown {
  case session(Session, since: Duration)
  case room(Room, since: Duration)
}

/// One peer's things that nobody shows, each oldest first.
private final class Stock: PeerStock {
  let account: Account
  var farewells: [(Session, Duration)] = []
  var lost: [(Session, Duration)] = []
  var rooms: [(Room, Duration)] = []
  /// Those with a task under way, which would begin again.
  var busy: [Unshown] = []

  init(_ account: Account) { self.account = account }

  func popNext() -> Unshown? {
    if let (session, since) = farewells.popLast() { return .session(session, since: since) }
    if let room = rooms.last, room.1 >= lost.last?.1 ?? .zero {
      rooms.removeLast()
      return .room(room.0, since: room.1)
    }
    return lost.popLast().map { .session($0.0, since: $0.1) } ?? busy.popLast()
  }
}

extension SessionDirectory {
  /// The peers' things that nobody shows.
  fileprivate var unshownStocks: some Sequence<Stock> {
    var stocks: [ObjectIdentifier: Stock] = [:]
    func add(_ owner: Owner, _ change: (Stock) -> Void) {
      for account in owner.accounts {
        let stock = stocks[ObjectIdentifier(account)] ?? Stock(account)
        stocks[ObjectIdentifier(account)] = stock
        change(stock)
      }
    }
    for (session, since) in unshown {
      add(session.charge.owner) {
        if session.saidFarewell {
          $0.farewells.append((session, since))
        } else if session.members.contains(where: { $0.room.scheduler.taskCount > 0 }) {
          $0.busy.append(.session(session, since: since))
        } else {
          $0.lost.append((session, since))
        }
      }
    }
    for (room, since) in rooms.unshown {
      add(room.charge.owner) {
        if room.scheduler.taskCount > 0 {
          $0.busy.append(.room(room, since: since))
        } else {
          $0.rooms.append((room, since))
        }
      }
    }
    return stocks.values
  }
}
