// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiSession
import Synchronization

/// The loops of an application's servers with their sessions, to be reached from any thread.
final class RunningLoops: Sendable {
  private let state = Mutex<[Entry]>([])
  private let company = Mutex(Company.alone)

  /// Whether there are other servers.
  enum Company {
    case alone
    /// There are, and the server is not among them yet, or no longer.
    case apart
    case among(RunningCluster)
  }

  private struct Entry {
    let loop: EventLoop
    var sessions: LoopBound<SessionLoop>?
  }

  /// Includes a server's loops, before they run.
  func attach(_ loops: [EventLoop]) {
    state.withLock { $0 += loops.map { Entry(loop: $0) } }
  }

  /// Says which sessions a loop has; called on the loop's thread when it begins.
  func add(_ sessions: SessionLoop, on loop: EventLoop) {
    let bound = LoopBound(sessions, on: loop)
    state.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.loop === loop }) else { return }
      entries[index].sessions = bound
    }
  }

  /// Says whether there are other servers, which have sessions, too.
  func join(_ company: Company) { self.company.withLock { $0 = company } }

  /// Forgets a server's loops; they have ended.
  func detach(_ loops: [EventLoop]) {
    state.withLock { entries in entries.removeAll { entry in loops.contains { $0 === entry.loop } } }
  }

  /// Has every open page reload itself.
  func reload() {
    for loop in loops { loop.enqueue { [self] in sessions(of: loop)?.reloadPages() } }
  }

  /// Frees a part of the bytes that sessions and rooms take, on each loop: what nobody shows goes; returns when it has begun.
  func freeMemory(part: Double) async {
    await withTaskGroup(of: Void.self) { group in
      for loop in loops { group.addTask { await self.freeMemory(part: part, on: loop) } }
    }
  }

  private func freeMemory(part: Double, on loop: EventLoop) async {
    await withCheckedContinuation { continuation in
      let willRun = loop.enqueue { [self] in
        sessions(of: loop)?.freeMemory(part: part)
        continuation.resume()
      }
      if !willRun { continuation.resume() }
    }
  }

  /// Asks a loop what it has done and what it has.
  ///
  /// - Parameters:
  ///   - loop: The loop.
  ///   - answer: Called on its thread, unless it has ended; with nil for the sessions if they are not there yet.
  func ask(_ loop: EventLoop, _ answer: @escaping @Sendable (LoopStatistics, SessionReport?) -> Void) {
    loop.takeStatistics { [self] statistics in answer(statistics, sessions(of: loop)?.report()) }
  }

  /// Ends the sessions of a visitor, or of one log-in.
  ///
  /// - Returns: Whether they have ended on all loops, of which there is at least one, and on all other servers.
  func endSessions(of who: SignedOut) async -> Bool {
    switch company.withLock({ $0 }) {
    case .alone: break
    case .apart: return false
    case .among(let cluster): return await cluster.endSessions(of: who)
    }
    let loops = loops
    return await withTaskGroup(of: Bool.self) { group in
      for loop in loops { group.addTask { await self.endSessions(of: who, on: loop) } }
      return await group.reduce(!loops.isEmpty) { $0 && $1 }
    }
  }

  private func endSessions(of who: SignedOut, on loop: EventLoop) async -> Bool {
    await withCheckedContinuation { continuation in
      let willRun = loop.enqueue { [self] in
        // They are there by the time the thread looks into its inbox.
        guard let sessions = sessions(of: loop) else { return continuation.resume(returning: false) }
        sessions.endSessions(of: who) { continuation.resume(returning: $0) }
      }
      if !willRun { continuation.resume(returning: false) }
    }
  }

  private var loops: [EventLoop] { state.withLock { $0.map(\.loop) } }

  private func sessions(of loop: EventLoop) -> SessionLoop? {
    state.withLock { $0.first { $0.loop === loop }?.sessions }?.value
  }
}
