// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiSession

extension Application {
  /// Asks an application's hook on behalf of a server, for pages and for plain requests.
  ///
  /// - Parameters:
  ///   - hook: The hook.
  ///   - logger: Is told why it has failed.
  ///   - ledger: Counts refusals.
  /// - Returns: Who asks, for all loops.
  func identifier(
    asking hook: @escaping VisitorIdentifier.Hook, _ logger: Logger, _ ledger: PeerLedger
  ) -> VisitorIdentifier {
    var limits = VisitorIdentifier.Limits()
    limits.timeout = configuration.identifyTimeout
    let scripted = configuration.scriptVisitors
    let asked: VisitorIdentifier.Hook = { request in
      if let visitor = scripted?.visitor(request.headers["authorization"]) { return visitor }
      return try await hook(request)
    }
    return VisitorIdentifier(asked, limits: limits) { request, peers, message in
      let log = NoticeLog(
        logger: logger, logsTraffic: false, refusals: ledger.refusals, clock: { MonotonicTime.now })
      log.observer(
        .authorizationFailed(screen: request.screen ?? request.path, peer: peers.first, message: message))
    }
  }
}

extension LoopEnvironment {
  /// Has a loop ask an application's hook, and go on meanwhile.
  ///
  /// - Parameters:
  ///   - identifier: Who asks.
  ///   - loop: The loop; the caller is on its thread.
  mutating func ask(_ identifier: VisitorIdentifier, on loop: EventLoop) {
    let questions = OpenQuestions()
    authorize = { request, then in
      let number = questions.add(then)
      let bound = LoopBound(questions, on: loop)
      let (asked, peers) = (Request(request), request.addresses)
      Task {
        let answer: Authorization
        do throws(VisitorRefusal) {
          answer = .visitor(try await identifier.visitor(for: asked, peers: peers))
        } catch {
          answer = .refused(error)
        }
        loop.enqueue { bound.value.answer(number, answer) }
      }
    }
  }
}

/// What a loop does with the answers that it waits for; confined to the loop.
private final class OpenQuestions {
  private var waiting: [Int: (Authorization) -> Void] = [:]
  private var last = 0

  func add(_ then: @escaping (Authorization) -> Void) -> Int {
    last += 1
    waiting[last] = then
    return last
  }

  func answer(_ number: Int, _ answer: Authorization) { waiting.removeValue(forKey: number)?(answer) }
}

extension Request {
  /// The request of a page that wants to show a screen.
  init(_ request: ConnectionRequest) {
    self.init(
      .get, request.path, query: request.query, headers: request.headers,
      remoteAddress: request.remoteAddress)
    screen = request.screen
    room = request.room
  }
}
