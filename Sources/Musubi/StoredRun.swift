// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MusubiServer
import MusubiSession
import MusubiStorage

/// The data folder of a running server: its store, and the record by which the next process learns how this one ended.
struct StoredRun {
  let store: SQLiteSessionStore
  /// The stored state, without rooms that were put aside.
  let state: StoredState
  /// Where the loops note what they run; nil if the folder has no place for it.
  let record: RunRecord?
  /// How long to wait before the server listens.
  let wait: Duration

  /// Opens the folder of a configuration, and judges the events that have ended the process before.
  ///
  /// - Returns: nil if nothing is stored.
  /// - Throws: `StorageError` with one sentence for the operator.
  static func open(_ configuration: Configuration) async throws -> StoredRun? {
    guard configuration.storesSessions, let folder = configuration.dataFolder else { return nil }
    return try await StoredRun(folder: folder, configuration, configuration.logger)
  }

  private init(folder: String, _ configuration: Configuration, _ logger: Logger) async throws {
    store = try SQLiteSessionStore(folder: folder, isSynced: configuration.syncsSessions)
    let now = Date().timeIntervalSince1970
    do {
      record = try RunRecord(folder: folder, at: now)
    } catch {
      // A disk that is full stops no server.
      logger.log(.warning, "no record", ["message": "\(error)"])
      record = nil
    }
    let verdicts: [Verdict]
    (state, verdicts) = try await store.load(after: record?.traps ?? [], run: record?.run ?? 0, at: now)
    wait = record?.pause.wait(atMost: configuration.maxRestartWait) ?? .zero
    guard let record else { return }
    // After a process that was asked to end while it waited, too.
    if record.hasFailed || wait > .zero {
      logger.log(
        .warning, "unclean end",
        [
          "signal": record.signal == 0 ? "unknown" : SignalName.of(record.signal),
          "ends": "\(record.pause.ends)", "wait": "\(wait.components.seconds) s",
        ])
    }
    for verdict in verdicts { verdict.log(to: logger) }
    record.begin(.random(in: 1...UInt64.max))
  }

  /// The process has waited, and starts its server.
  func start() throws { try record?.start() }

  /// The server listens.
  func listens() { record?.listens(at: Date().timeIntervalSince1970) }

  /// The process ends before it listens, with a sentence for its operator.
  func giveUp() async {
    await store.close()
    record?.giveUp()
  }

  /// The process ends because it was asked to.
  func end() async {
    await store.close()
    record?.end()
  }
}

extension Verdict {
  /// Tells the operator which event has ended the process, and what becomes of it.
  fileprivate func log(to logger: Logger) {
    let consequence =
      switch consequence {
      case .none: "nothing of it is stored"
      case .runsAgain(let strikes): "strike \(strikes) of \(Strike.limit); it is run again"
      case .isRefused: "strike \(Strike.limit); the input is refused from now on"
      case .isPutAside: "strike \(Strike.limit); the room's state is put aside, and its pages begin again"
      }
    logger.log(
      .error, "event ended the process",
      [
        "event": "\(trap.kind)", "screen": room?.screen ?? "", "room": room?.name ?? "",
        "session": String(trap.session.prefix(6)), "input": trap.number > 0 ? "\(trap.number)" : "",
        "signal": SignalName.of(trap.signal), "consequence": consequence,
      ])
  }
}

/// The names of the signals by which a program ends itself.
enum SignalName {
  static func of(_ signal: Int32) -> String {
    let names = [
      SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE",
      SIGABRT: "SIGABRT",
    ]
    return names[signal] ?? "signal \(signal)"
  }
}
