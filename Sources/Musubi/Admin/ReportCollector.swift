// SPDX-License-Identifier: Apache-2.0
// Foundation is imported for the wall clock alone.
import Foundation
import MusubiServer
import MusubiSession
import Synchronization

/// Asks the loops about once a second how they are, and puts the answers together.
///
/// It waits for none: a loop that does not answer keeps its last numbers, and its lag grows.
final class ReportCollector: Sendable {
  private let server: Server
  private let loops: RunningLoops
  /// What the admin port has refused.
  private let adminRefusals: Refusals
  private let storesSessions: Bool
  private let started = Date().timeIntervalSince1970
  private let answers: Mutex<[Answer]>

  /// What a loop has said last.
  private struct Answer {
    /// When the question was asked that it has not answered; nil if there is none.
    var askedAt: Duration?
    var lag: Duration = .zero
    var statistics = LoopStatistics()
    var sessions = SessionReport()
  }

  init(_ server: Server, _ loops: RunningLoops, admin: Refusals, _ configuration: Configuration) {
    self.server = server
    self.loops = loops
    adminRefusals = admin
    storesSessions = configuration.storesSessions && configuration.dataFolder != nil
    answers = Mutex(server.loops.map { _ in Answer() })
  }

  /// Collects until its task is cancelled.
  func run(_ publish: (ServerReport) -> Void) async {
    while true {
      ask()
      do {
        // Loops that are well answer in this time.
        try await Task.sleep(for: .milliseconds(100))
        publish(report())
        try await Task.sleep(for: .milliseconds(900))
      } catch {
        return
      }
    }
  }

  private func ask() {
    for (index, loop) in server.loops.enumerated() {
      let now = loop.now
      let mayAsk = answers.withLock { answers in
        guard answers[index].askedAt == nil else { return false }
        answers[index].askedAt = now
        return true
      }
      guard mayAsk else { continue }
      loops.ask(loop) { [self] statistics, sessions in
        let lag = loop.now - now
        answers.withLock {
          $0[index] = Answer(lag: lag, statistics: statistics, sessions: sessions ?? $0[index].sessions)
        }
      }
    }
  }

  /// The report of what is known now.
  func report() -> ServerReport {
    let answers = answers.withLock { $0 }
    var report = ServerReport()
    report.time = Date().timeIntervalSince1970
    report.started = started
    for (loop, answer) in zip(server.loops, answers) { report.loops.append(Self.part(loop, answer)) }
    report.refusals = server.ledger.refusals.counts.merging(adminRefusals.counts, uniquingKeysWith: +)
    report.residentBytes = ProcessMemory.resident
    report.maxResidentBytes = ProcessMemory.limit
    if storesSessions {
      report.storedBytes = answers.reduce(0) { $0 + $1.sessions.storedBytes }
      report.maxStoredBytes = answers.reduce(0) { $0 + ($1.sessions.maxStoredBytes ?? 0) }
      report.storeFails = answers.contains { $0.sessions.storeFails }
    }
    return report
  }

  private static func part(_ loop: EventLoop, _ answer: Answer) -> ServerReport.Loop {
    var part = ServerReport.Loop()
    let (statistics, sessions) = (answer.statistics, answer.sessions)
    part.index = loop.index
    part.connections = statistics.opened - statistics.closed
    part.connectionsOpened = statistics.opened
    part.requests = statistics.requests
    part.messages = statistics.messagesReceived
    part.bytesSent = statistics.bytesSent
    part.connectedSessions = sessions.connected
    part.waitingSessions = sessions.waiting
    part.storedSessions = sessions.stored
    part.bytes = sessions.bytes
    part.maxBytes = sessions.maxBytes
    part.lag = max(answer.lag, answer.askedAt.map { loop.now - $0 } ?? .zero) / .seconds(1)
    part.longestIteration = statistics.longestLately / .seconds(1)
    return part
  }
}
