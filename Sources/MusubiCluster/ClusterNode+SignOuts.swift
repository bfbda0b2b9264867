// SPDX-License-Identifier: Apache-2.0
import Dispatch
import MusubiServer
package import MusubiSession
import MusubiStorage
import Synchronization

/// Sign-outs, which all nodes hear of by the directory.
///
/// ```
/// this node       notes it in the directory, and tells others over the links to look there now
/// each node       reads it, ends the sessions that it has, has that stored, and notes so in its row of the directory
/// this node       is done when all rows have it; a node that has died has none
/// ```
///
/// Whoever reads a slot later reads the sign-outs as well, so that a session in nobody's memory ends, too.
extension ClusterNode {
  /// Ends the sessions of a visitor, or of one log-in, on all nodes.
  ///
  /// - Returns: Whether all living nodes have ended them for good; false if this one stops before.
  package func signOut(_ who: SignedOut) async -> Bool {
    await withCheckedContinuation { continuation in
      queue.async { [self] in announce(who) { continuation.resume(returning: $0) } }
    }
  }

  private func announce(
    _ who: SignedOut, isFirst: Bool = true, then done: @escaping @Sendable (Bool) -> Void
  ) {
    let number = state.withLock { state in
      guard let number = asking(&state, { try $0.directory.signOut(who) }) else { return nil as Int? }
      hearSignOuts(&state)
      return number
    }
    if let number {
      mailboxes.run(on: 0) { $0.tellSignOut() }
      return awaitAll(number, after: 0.005, then: done)
    }
    guard !state.withLock(\.hasEnded) else { return done(false) }
    if isFirst {
      // The others hear of it when PostgreSQL is back.
      for loop in 0..<entry.loops { mailboxes.run(on: loop) { $0.sessions.endSessions(of: who) { _ in } } }
    }
    queue.asyncAfter(deadline: .now() + Self.beat) { [self] in announce(who, isFirst: false, then: done) }
  }

  /// Waits until all nodes have ended the sessions of a sign-out.
  private func awaitAll(
    _ number: Int, after pause: Double, then done: @escaping @Sendable (Bool) -> Void
  ) {
    queue.asyncAfter(deadline: .now() + pause) { [self] in
      let isDone: Bool? = state.withLock { state in
        guard !state.hasEnded else { return false }
        return asking(&state) { try $0.directory.isDone(signOut: number) } == true ? true : nil
      }
      if let isDone { return done(isDone) }
      awaitAll(number, after: min(2 * pause, Self.beat), then: done)
    }
  }

  /// Another node says that there is a new one.
  package func signedOut() {
    queue.async { [self] in state.withLock { hearSignOuts(&$0) } }
  }

  private func hearSignOuts(_ state: inout State) {
    end(asking(&state) { try $0.directory.newSignOuts() } ?? [], &state)
  }

  /// Asks the directory something that is asked again if it does not answer.
  ///
  /// - Returns: The answer; nil if there is none.
  private func asking<Answer>(_ state: inout State, _ question: (inout State) throws -> Answer) -> Answer? {
    guard !state.hasEnded else { return nil }
    do {
      return try question(&state)
    } catch {
      // The store tells that PostgreSQL is away.
      return nil
    }
  }

  /// Ends the sessions of visitors who were signed out, on all loops.
  func end(_ signOuts: [DirectorySignOut], _ state: inout State) {
    guard !signOuts.isEmpty else { return }
    state.signOuts.hear(signOuts, loops: entry.loops)
    for loop in 0..<entry.loops {
      mailboxes.run(on: loop) { [self] gateway in
        for signOut in signOuts {
          gateway.sessions.endSessions(of: signOut.who, number: signOut.number) { [self] hasEnded in
            if hasEnded { ended(signOut) }
          }
        }
      }
    }
  }

  private func ended(_ signOut: DirectorySignOut) {
    queue.async { [self] in
      state.withLock { state in
        state.signOuts.loopEnded(signOut.number)
        tellSignOuts(&state)
      }
    }
  }

  /// Tells the directory how far this node is.
  func tellSignOuts(_ state: inout State) {
    guard let number = state.signOuts.untold else { return }
    if asking(&state, { try $0.directory.note(signOuts: number) }) != nil { state.signOuts.tell(number) }
  }
}
