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
  private let question: AdminServer.Question
  /// The admin port's refusals.
  private let adminRefusals: Refusals
  private let storesSessions: Bool
  private let started = Date().timeIntervalSince1970
  private let answers: Mutex<[Answer]>
  /// The peers near a limit of all loops together.
  private let crowd = Mutex<[PeerShare]>([])

  /// A loop's last answer.
  private struct Answer {
    /// When the question was asked that it has not answered; nil if there is none.
    var askedAt: Duration?
    var lag: Duration = .zero
    var statistics = LoopStatistics()
    var sessions = SessionReport()
  }

  init(_ server: Server, admin: Refusals, storesSessions: Bool, ask question: @escaping AdminServer.Question)
  {
    self.server = server
    self.question = question
    adminRefusals = admin
    self.storesSessions = storesSessions
    answers = Mutex(server.loops.map { _ in Answer() })
  }

  /// Collects until its task is cancelled.
  func run(_ publish: (ServerReport) -> Void) async {
    for second in 0... {
      ask()
      // All peers are looked at for that.
      if second % 5 == 0 { crowd.withLock { $0 = server.ledger.nearLimits } }
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
      question(loop) { [self] statistics, sessions in
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
    report.node = server.node
    report.heartbeatAge = server.lastHeartbeat.map { (MonotonicTime.now - $0) / .seconds(1) }
    for (loop, answer) in zip(server.loops, answers) { report.loops.append(Self.part(loop, answer)) }
    report.refusals = server.ledger.refusals.counts.merging(adminRefusals.counts, uniquingKeysWith: +)
    report.newestRefusals = newestRefusals(at: report.time)
    report.screens = Self.screens(of: answers.map(\.sessions))
    report.busiestRooms = answers.indices.flatMap { Self.rooms(of: answers[$0].sessions, loop: $0) }
      .sorted { $0.turnsPerSecond > $1.turnsPerSecond }.prefix(10).map { $0 }
    report.peers = Self.shares(crowd.withLock { $0 } + answers.flatMap(\.sessions.peers))
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
    part.commits = ServerReport.Histogram(sessions.commits)
    part.refusedSlots = sessions.refusedSlots
    part.longestIteration = statistics.longestLately / .seconds(1)
    return part
  }
}

// MARK: - The parts of a report

extension ReportCollector {
  /// The screens of all loops together.
  private static func screens(of loops: [SessionReport]) -> [ServerReport.Screen] {
    var totals: [String: ScreenTotals] = [:]
    for part in loops.flatMap(\.screens) {
      var total = totals[part.screen] ?? ScreenTotals(screen: part.screen)
      total.rooms += part.rooms
      total.pages += part.pages
      total.turns += part.turns
      total.inputs += part.inputs
      total.turnTime.add(part.turnTime)
      total.handOver.add(part.handOver)
      totals[part.screen] = total
    }
    return totals.values.sorted { $0.screen < $1.screen }.map { total in
      var screen = ServerReport.Screen()
      (screen.name, screen.rooms, screen.pages) = (total.screen, total.rooms, total.pages)
      (screen.turns, screen.inputs) = (total.turns, total.inputs)
      screen.turnTime = ServerReport.Histogram(total.turnTime)
      screen.handOver = ServerReport.Histogram(total.handOver)
      return screen
    }
  }

  private static func rooms(of sessions: SessionReport, loop: Int) -> [ServerReport.Room] {
    sessions.busiestRooms.map { busy in
      var room = ServerReport.Room()
      (room.screen, room.name, room.loop) = (busy.key.screen, busy.key.isPrivate ? "" : busy.key.name, loop)
      (room.pages, room.bytes, room.turnsPerSecond) = (busy.pages, busy.bytes, busy.turnsPerSecond)
      return room
    }
  }

  /// The peers that are nearest to a limit.
  private static func shares(_ all: [PeerShare]) -> [ServerReport.PeerShare] {
    all.sorted { Double($0.used) / Double($0.limit) > Double($1.used) / Double($1.limit) }.prefix(20).map {
      peer in
      var share = ServerReport.PeerShare()
      (share.peer, share.kind, share.used, share.limit) = (peer.peer.text, peer.kind, peer.used, peer.limit)
      return share
    }
  }

  private func newestRefusals(at time: Double) -> [ServerReport.Refusal] {
    let now = server.loops[0].now
    return (server.ledger.refusals.newest + adminRefusals.newest).sorted { $0.time > $1.time }.prefix(20).map
    {
      var refusal = ServerReport.Refusal()
      refusal.time = time - (now - $0.time) / .seconds(1)
      (refusal.reason, refusal.peer, refusal.count) = ($0.reason, $0.peer, $0.count)
      return refusal
    }
  }
}

extension ServerReport.Histogram {
  fileprivate init(_ durations: DurationHistogram) {
    self.init()
    (bounds, counts) = (DurationHistogram.bounds, durations.counts)
    (count, sum) = (durations.count, durations.sum)
  }
}
