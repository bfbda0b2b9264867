// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiText
import MusubiWire

/// Who may enter, and for how long.
extension SessionLoop {
  // MARK: - The hook

  package func admit(_ request: ConnectionRequest, then decide: @escaping (Admission) -> Void) {
    guard let route = rooms.routes[request.screen] else {
      let names = rooms.routes.keys.sorted()
      let nearest = names.nearest(to: request.screen).first.map { " Did you mean \($0)?" } ?? ""
      return decide(
        .refused(
          status: 404, code: "unknown-screen",
          message: "There is no screen \"\(request.screen.prefix(80))\"; this server has "
            + "\(names.joined(separator: ", ")).\(nearest)"))
    }
    if let refusal = refusal(ofAddress: request, route) { return decide(refusal) }
    var request = request
    request.shortenPageQuery(to: Self.maxQueryBytes)
    request.room = route.room(of: request)
    request.path = request.query["path"] ?? route.path
    request.askedAt = environment.clock()
    request.signOuts = trust.lastSignOut
    environment.identify(request) { [self, request] answer in
      switch answer {
      case .success(let visitor): decide(admission(of: visitor, to: request))
      case .failure(let refusal):
        decide(
          .refused(
            status: refusal.status, code: refusal.code, message: refusal.message, logIn: refusal.logIn))
      }
    }
  }

  /// The refusal that needs nobody to be asked; nil if there is none.
  private func refusal(ofAddress request: ConnectionRequest, _ route: ScreenRoute) -> Admission? {
    if case .room = route.scope, let room = request.query["room"], !(1...64).contains(room.utf8.count) {
      return .refused(
        status: 400, code: "bad-request",
        message: "A room's name has 1 to 64 bytes; this one has \(room.utf8.count).")
    }
    if let problem = Self.problem(ofAddress: request) {
      return .refused(status: 400, code: "bad-request", message: problem)
    }
    guard !request.resumes else { return nil }
    // Whether a shared room is there is told to those only who may enter it.
    if case .session = route.scope, rooms.isFull { return .noSpace }
    return committer.budget.admits(request.peers) ? nil : .storeFull
  }

  /// Whether somebody may enter, as far as this loop can tell without waiting for another one.
  private func admission(of visitor: Visitor, to request: ConnectionRequest) -> Admission {
    if let validFor = visitor.validFor, validFor <= .zero {
      return .noVisitor
    }
    guard rooms.admits(visitor, to: request) else {
      // The same answer for a room that is there and for one that is not.
      guard visitor.id != nil else { return .noVisitor }
      return .refused(
        status: 403, code: ErrorCode.notAllowed.rawValue, message: RoomRefusal.notAllowed.message)
    }
    // Which other screens a session shows is known when its page has named it.
    var admitted = request.resumes ? request : request.withoutHeaders
    admitted.visitor = visitor
    guard !admitted.resumes else { return .accepted(admitted) }
    if let refusal = refusal(ofRoom: admitted) { return refusal }
    guard committer.budget.admits(admitted.peers) else { return .storeFull }
    guard memory.admits(memory.owner(admitted.peers)) else {
      return .refused(
        status: 503, code: "full", message: "There is no memory for one more page; come back later.")
    }
    return .accepted(admitted)
  }

  /// Why the room that somebody asks for cannot be made; nil if it can, or is there.
  private func refusal(ofRoom request: ConnectionRequest) -> Admission? {
    let (ledger, peers) = (environment.ledger, request.peers)
    if let name = request.room {
      let key = RoomKey(screen: request.screen, name: name, isPrivate: false)
      guard slots.isOpen(key.slot) else {
        // It may be there, which its own loop knows. That loop's refusals count as answers; whoever has used them up, and
        // has no room left, is heard no more.
        let isHeard = ledger.hasRoom(for: peers) || ledger.hears(peers, at: environment.clock())
        return isHeard ? nil : .limited(.rooms, peers)
      }
      if rooms.isThere(key) { return nil }
    }
    if rooms.isFull { return .noSpace }
    return ledger.hasRoom(for: peers) ? nil : .limited(.rooms, peers)
  }

  /// What is wrong with a page's address, as a sentence; nil if nothing is.
  private static func problem(ofAddress request: ConnectionRequest) -> String? {
    guard let path = request.query["path"], path.utf8.count > maxPathBytes else { return nil }
    return "A page's path has at most \(maxPathBytes) bytes; this one has \(path.utf8.count)."
  }

  // Rooms keep path and parameters, and so does each session that has come by another path.
  private static let maxPathBytes = 2_048
  /// Of all names and values together, as `Sources/BrowserClient/musubi/outlets/query.js` has it, too.
  private static let maxQueryBytes = 2_048

  // MARK: - For how long

  /// Has a visit end before nobody knows any more whose it is.
  ///
  /// That is at nine tenths of the time at the latest, spread over the tenth before, so that pages that came together do
  /// not come back together.
  func noteTerm(of visit: Visit, _ request: ConnectionRequest) {
    guard let validFor = request.visitor?.validFor else { return }
    let term = min(validFor, Self.longestTerm)
    let chance = Double(environment.entropy(2).reduce(0) { $0 << 8 | UInt64($1) }) / 0x1p16
    trust.enter(
      TrustLedger.Term(visit: Weak<Visit>(visit), end: request.askedAt + term),
      at: request.askedAt + term * (0.8 + 0.1 * chance))
  }

  /// Three hundred years are a long time, and few enough for a clock.
  private static let longestTerm = Duration.seconds(10_000_000_000)

  /// Sends those away who have to be identified again, and cuts off those who are still there at the end.
  ///
  /// A loop that stood still may first look after the end. Whoever was not asked yet is asked then, and has the
  /// connection's own limit of time to go.
  func endTrust(at now: Duration) {
    while var term = trust.take(at: now) {
      guard let visit = term.visit.object else { continue }
      if term.isAsked {
        // It has not taken the close frame of before; the connection knows the rest.
        visit.connection?.close(.signedOut)
      } else if visit.phase != .closing {
        visit.close(ConnectionEnd(.identifyAgain, "identify again"))
        term.isAsked = true
        if now < term.end { trust.enter(term, at: term.end) }
      }
    }
  }

  // MARK: - Signing out

  /// Whether a visitor was signed out while its handshake was under way.
  func isSignedOut(_ request: ConnectionRequest) -> Bool {
    trust.hasEnded(request)
  }

  /// The sign-outs of a cluster up to this number are over: whoever was asked about before is asked once more.
  package func noteSignOuts(upTo number: Int) { trust.forget(upTo: number) }

  /// Ends sessions on this loop: open, waiting, stored, and those whose handshake is under way.
  ///
  /// - Parameters:
  ///   - who: Whose sessions; a stored one does not tell of which log-in it is, and ends with all of its visitor's.
  ///   - number: The number of the sign-out in a cluster: sessions of visitors who were asked about when it was known stay.
  ///   - done: Called once, on the loop: with true when they have ended for good, also in the store; with false if the
  ///     server stopped before.
  package func endSessions(
    of who: SignedOut, number: Int? = nil, done: @escaping @Sendable (Bool) -> Void
  ) {
    trust.end(who, number, at: environment.clock())
    sessions.revokeAll(of: who, before: number ?? .max)
    for visit in expectedResumes.keys.compactMap(\.object)
    where visit.session == nil && who.includes(visit.request?.visitor) {
      if let request = visit.request, isSignedOut(request) { visit.close(.whoNow) }
    }
    settle()
    committer.whenStored(done)
  }
}

extension ScreenRoute {
  /// The room that a request asks for; nil in session scope.
  func room(of request: ConnectionRequest) -> String? {
    switch scope {
    case .session: nil
    case .room(let defaultName): request.query["room"] ?? defaultName
    }
  }
}

extension Admission {
  /// Nobody is signed in, or no longer; the page says it, in its own language.
  fileprivate static let noVisitor = Admission.refused(
    status: VisitorRefusal.failed.status, code: VisitorRefusal.failed.code,
    message: VisitorRefusal.failed.message)
  /// The loop has as many rooms as it may.
  fileprivate static let noSpace = Admission.refused(
    status: 503, code: "full", message: "The server has no space for one more room.")
  /// The visitor's records, or all together, take as much of the store as they may.
  fileprivate static let storeFull = Admission.refused(
    status: 503, code: "full", message: RoomRefusal.storeFull.message)
}

extension ConnectionEnd {
  /// A shared room could not be made where it is at home, which shows only behind the handshake.
  static func noRoom(_ refusal: RoomRefusal) -> Self {
    Self(.screenFailed, "10000 ms, then come back: \(refusal.code.rawValue)")
  }

  /// The visitor was signed out: the page comes back at once, and is whoever it is then.
  static let whoNow = ConnectionEnd(.identifyAgain, "signed out")

  /// The visitor was not identified again in time.
  static let signedOut = ConnectionEnd(.notAuthorized, "signed out")

  /// A server of another build has sent the page here.
  static let screenElsewhere = ConnectionEnd(
    .serverRestarting, "1000 ms, then come back: this server has no such screen")

  /// Only a server of a newer build can use what is stored.
  static let stateElsewhere = ConnectionEnd(
    .serverRestarting, "1000 ms, then come back: a newer server has the state")

  /// The visitor's pages, or all pages together, take as much memory as they may.
  static let overBudget = ConnectionEnd(.overBudget, "30000 ms, then come back: no memory for this page")
}
