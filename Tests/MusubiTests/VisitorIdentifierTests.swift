// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiSession
import Synchronization
import Testing

@testable import Musubi

/// A hook whose answers a test gives, one by one; it does not care about its cancellation.
private final class Doorkeeper: Sendable {
  private let waiting = Mutex<[CheckedContinuation<Visitor, any Error>]>([])

  var hook: VisitorIdentifier.Hook {
    { [self] _ in
      try await withCheckedThrowingContinuation { continuation in waiting.withLock { $0.append(continuation) }
      }
    }
  }

  var count: Int { waiting.withLock { $0.count } }

  func answer(_ visitor: Visitor = .anonymous) {
    waiting.withLock { $0.removeFirst() }.resume(returning: visitor)
  }
}

/// A clock that a test moves: whoever sleeps wakes when `ring` is called.
private final class Bell: Sendable {
  private let sleeping = Mutex<[CheckedContinuation<Void, Never>]>([])

  func sleep(_ time: Duration) async {
    await withCheckedContinuation { one in sleeping.withLock { $0.append(one) } }
  }

  var count: Int { sleeping.withLock { $0.count } }

  func ring() {
    for one in sleeping.withLock({ one in
      defer { one = [] }
      return one
    }) { one.resume() }
  }
}

private struct Spilt: Error {}

@Suite(.timeLimit(.minutes(5))) struct `A question about who somebody is` {
  private let request = Request(.get, "/quiz", headers: ["accept-language": "ja, en;q=0.5"])
  private let peer = Peer.address("192.0.2.1")

  private func refusal(
    of hook: @escaping VisitorIdentifier.Hook, failed: @escaping @Sendable (String) -> Void = { _ in }
  ) async -> VisitorRefusal? {
    let identifier = VisitorIdentifier(hook) { failed($2) }
    do throws(VisitorRefusal) {
      _ = try await identifier.visitor(for: request, peers: [peer])
      return nil
    } catch {
      return error
    }
  }

  /// Waits until other tasks have come so far.
  private func until(_ condition: () -> Bool) async {
    while !condition(), !Task.isCancelled { await Task.yield() }
  }

  @Test func `is answered with the visitor, and the languages of the browser if the hook names none`()
    async throws
  {
    let identifier = VisitorIdentifier({
      Visitor(id: $0.query["as"], locales: $0.query["as"] == "bob" ? ["fr"] : [])
    }) { _, _, _ in }
    var (ann, bob) = (request, request)
    (ann.query["as"], bob.query["as"]) = ("ann", "bob")

    #expect(try await identifier.visitor(for: ann, peers: []) == Visitor(id: "ann", locales: ["ja", "en"]))
    #expect(try await identifier.visitor(for: bob, peers: []) == Visitor(id: "bob", locales: ["fr"]))
    await until { identifier.questions == 0 }
  }

  @Test func `is refused with the hook's sentence, its place to log in, or a fixed sentence`() async {
    let told = Mutex<[String]>([])
    let tell = { @Sendable (message: String) in told.withLock { $0.append(message) } }

    #expect(await refusal(of: { _ in throw Denied("Not today.") })?.message == "Not today.")
    #expect(await refusal(of: { _ in throw Denied("") }) == .failed)
    let toLogIn = await refusal(of: { _ in throw LogInRequired(at: "/login?kind=a") })
    #expect(toLogIn?.logIn == "/login?kind=a")
    #expect(toLogIn?.status == 401)
    #expect(told.withLock { $0 } == [])
    #expect(await refusal(of: { _ in throw Spilt() }, failed: tell) == .failed)
    #expect(await refusal(of: { _ in throw HTTPError(500, "Spilt.") }, failed: tell) == .failed)
    let away = await refusal(of: { _ in throw HTTPError(503, "The database is away.") }, failed: tell)
    #expect(away?.isPassing == true && away?.message == "The database is away.")
    #expect(told.withLock(\.count) == 3)
    #expect(await refusal(of: { _ in throw LogInRequired(at: "//evil.example") }, failed: tell) == .failed)
    let messages = told.withLock { $0 }
    #expect(messages.first == "Spilt()")
    #expect(messages.last?.hasPrefix("LogInRequired(at:) takes a path of this server") == true)
  }

  @Test(arguments: [
    "", "login", "//evil.example", "/\\evil.example", "https://evil.example", "/a\\b", "/a b", "/a\tb",
    "/a#b", "/é",
    "/" + String(repeating: "x", count: 1_024),
  ])
  func `never leads to another server, or to an address that browsers read otherwise`(place: String) {
    #expect(LogInRequired(at: place).problem != nil)
  }

  @Test(arguments: ["/", "/login", "/login?lang=ja", "/a//b"])
  func `leads to a place of its own server`(place: String) {
    #expect(LogInRequired(at: place).problem == nil)
  }

  @Test func `is given up in time, and counts until the hook returns`() async throws {
    let (door, bell) = (Doorkeeper(), Bell())
    let identifier = VisitorIdentifier(door.hook, sleep: bell.sleep) { _, _, _ in }
    let asked = Task { [request, peer] in try await identifier.visitor(for: request, peers: [peer]) }
    await until { door.count == 1 && bell.count == 1 }

    bell.ring()
    await #expect(throws: VisitorRefusal.timedOut) { try await asked.value }
    #expect(identifier.questions == 1)
    door.answer()
    await until { identifier.questions == 0 }
  }

  @Test func `is one of a bounded number of its address, of its network and in all`() async throws {
    var limits = VisitorIdentifier.Limits()
    (limits.perAddress, limits.inAll, limits.timeout) = (2, 10, .seconds(600))
    let door = Doorkeeper()
    let identifier = VisitorIdentifier(door.hook, limits: limits) { _, _, _ in }
    let site = Peer.network("2001:db8::/48")
    let homes = (0..<5).map { [Peer.address("2001:db8:0:\($0)::/64"), site] }
    var asked: [Task<Visitor, any Error>] = []
    func ask(_ peers: [Peer], _ count: Int) async {
      let before = identifier.questions
      for _ in 0..<count {
        asked.append(Task { [request] in try await identifier.visitor(for: request, peers: peers) })
      }
      await until { identifier.questions == before + count }
    }
    func isBusy(_ peers: [Peer]) async -> Bool {
      do throws(VisitorRefusal) {
        _ = try await identifier.visitor(for: request, peers: peers)
        return false
      } catch { return error == .busy }
    }

    await ask(homes[0], 2)
    #expect(await isBusy(homes[0]))
    for home in homes[1..<4] { await ask(home, 2) }
    #expect(await isBusy(homes[4]))
    await ask([peer], 2)
    #expect(await isBusy([]))

    await until { door.count == 10 }
    for _ in 0..<10 { door.answer() }
    for one in asked { #expect(try await one.value == Visitor(locales: ["ja", "en"])) }
    await until { identifier.questions == 0 }
  }

  @Test func `ends with whoever asks it`() async throws {
    let door = Doorkeeper()
    let identifier = VisitorIdentifier(door.hook) { _, _, _ in }
    let asked = Task { [request] in try await identifier.visitor(for: request, peers: []) }
    await until { door.count == 1 }

    asked.cancel()
    await #expect(throws: VisitorRefusal.timedOut) { try await asked.value }
    door.answer()
    await until { identifier.questions == 0 }
  }
}
