// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiSession
import Synchronization

/// Asks the application who somebody is: for a bounded time, and a bounded number of questions at once.
///
/// May be used from any thread; it waits on none.
final class VisitorIdentifier: Sendable {
  /// What an application says of a request.
  typealias Hook = @Sendable (Request) async throws -> Visitor

  /// How long and how often the application is asked.
  struct Limits: Sendable {
    /// How long an answer is waited for.
    var timeout: Duration = .seconds(5)
    /// How many questions of one address are under way, or of the /64 of an IPv6 address; of its /48 four times as many.
    var perAddress = 32
    /// How many are under way in all.
    var inAll = 1_024

    /// How many questions of a peer may be under way.
    func questions(of peer: Peer) -> Int {
      if case .network = peer { 4 * perAddress } else { perAddress }
    }
  }

  private struct Running {
    var inAll = 0
    var ofPeers: [Peer: Int] = [:]
  }

  private let hook: Hook
  private let limits: Limits
  private let sleep: @Sendable (Duration) async throws -> Void
  private let failed: @Sendable (Request, [Peer], String) -> Void
  private let running = Mutex(Running())

  /// Somebody who asks.
  ///
  /// - Parameters:
  ///   - hook: What the application says.
  ///   - limits: How long and how often it is asked.
  ///   - sleep: Waits so long; the clock's, but in tests.
  ///   - failed: Is told why the application could not say who somebody is.
  init(
    _ hook: @escaping Hook, limits: Limits = Limits(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    failed: @escaping @Sendable (Request, [Peer], String) -> Void
  ) {
    self.hook = hook
    self.limits = limits
    self.sleep = sleep
    self.failed = failed
  }

  /// How many questions are under way.
  var questions: Int { running.withLock { $0.inAll } }

  /// Finds out who sends a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - peers: Whom the question counts against; none if addresses are not counted there.
  /// - Returns: The visitor; with the languages of the browser, if the application says none.
  /// - Throws: The answer to somebody who may not enter, or whom nobody knows in time.
  func visitor(for request: Request, peers: [Peer]) async throws(VisitorRefusal) -> Visitor {
    guard begin(peers) else { throw .busy }
    let (answers, continuation) = AsyncStream.makeStream(
      of: Result<Visitor, any Error>.self, bufferingPolicy: .bufferingOldest(1))
    // A hook that does not care about its cancellation counts until it returns.
    let question = Task { [self] in
      defer { end(peers) }
      do { continuation.yield(.success(try await hook(request))) } catch {
        continuation.yield(.failure(error))
      }
    }
    let timer = Task { [self] in
      try await sleep(limits.timeout)
      continuation.yield(.failure(VisitorRefusal.timedOut))
    }
    defer {
      question.cancel()
      timer.cancel()
    }
    // The first answer counts; who asks may itself be cancelled.
    var arrivals = answers.makeAsyncIterator()
    switch await arrivals.next() {
    case .success(var visitor)?:
      if visitor.locales.isEmpty {
        visitor.locales = AcceptLanguage.tags(in: request.headers["accept-language"])
      }
      return visitor
    case .failure(let refusal as VisitorRefusal)?: throw refusal
    case .failure(let error)?:
      if let refusal = VisitorRefusal(error) { throw refusal }
      failed(request, peers, VisitorRefusal.explanation(of: error))
      // What the hook asks is away: nobody was found to have no right.
      if let error = error as? HTTPError, error.status == 503 { throw .passing(error.message) }
      throw .failed
    case nil: throw .timedOut
    }
  }

  // MARK: - Bounds

  /// Takes a place for a question; false if there is none.
  private func begin(_ peers: [Peer]) -> Bool {
    running.withLock { running in
      guard running.inAll < limits.inAll,
        peers.allSatisfy({ running.ofPeers[$0, default: 0] < limits.questions(of: $0) })
      else { return false }
      running.inAll += 1
      for peer in peers { running.ofPeers[peer, default: 0] += 1 }
      return true
    }
  }

  /// Gives a question's place back.
  private func end(_ peers: [Peer]) {
    running.withLock { running in
      running.inAll -= 1
      for peer in peers {
        let left = running.ofPeers[peer, default: 1] - 1
        running.ofPeers[peer] = left == 0 ? nil : left
      }
    }
  }
}
