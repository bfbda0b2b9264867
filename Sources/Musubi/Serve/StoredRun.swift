// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MusubiServer
import MusubiSession
import MusubiStorage
import Synchronization

/// The store of a running server, and the record in its data folder by which the next process learns how this one ended.
struct StoredRun {
  let store: any DurableStore
  /// The stored state, without rooms that were put aside.
  let state: StoredState
  /// Where the loops note what they run; nil if there is no folder, or no place in it.
  let record: RunRecord?
  /// How long to wait before the server listens.
  let wait: Duration
  /// Names the process among others that share the store; a restarted one is another node.
  let node = Int64.random(in: 1...Int64.max)
  /// Names the data folder, which one process at a time uses; nil if there is none.
  var folderNode: Int64? { folder?.node }
  private let folder: DataFolder?
  private let losing: StoreLoss

  /// Why nothing can be stored any more; nil if it can.
  var loss: StorageError? { losing.error }

  /// Opens the store of a configuration, and judges the events that have ended the process before.
  ///
  /// - Parameters:
  ///   - configuration: Says where it is.
  ///   - onLoss: Called once, on any thread, if another node takes the store; `loss` says why.
  /// - Returns: nil if nothing is stored.
  /// - Throws: `StorageError` with one sentence for the operator.
  static func open(
    _ configuration: Configuration, onLoss: @escaping @Sendable () -> Void
  ) async throws -> StoredRun? {
    guard configuration.keepsSessions else { return nil }
    return try await StoredRun(configuration, configuration.logger, onLoss)
  }

  private init(
    _ configuration: Configuration, _ logger: Logger, _ onLoss: @escaping @Sendable () -> Void
  ) async throws {
    let losing = StoreLoss()
    self.losing = losing
    if let url = configuration.storeURL ?? configuration.clusterURL {
      folder = try configuration.dataFolder.map { path throws(StorageError) in try DataFolder(path) }
      var place = PostgresStoreConfiguration(url: url)
      if let folder { place.node = folder.node }
      let report = { @Sendable (event: PostgresStoreEvent) in
        event.log(to: logger)
        if case .lost(let sentence) = event, losing.note(sentence) { onLoss() }
      }
      if configuration.clusterURL != nil {
        store = try PostgresSessionStore(joining: place, node: node, report: report)
      } else {
        let opened = try PostgresSessionStore(place, report: report)
        logger.log(.info, "store taken", ["generation": "\(opened.generation)"])
        store = opened
      }
    } else {
      folder = nil
      store = try SQLiteSessionStore(
        folder: configuration.dataFolder ?? "", isSynced: configuration.syncsSessions)
    }
    let now = Date().timeIntervalSince1970
    do {
      record = try configuration.dataFolder.map { path throws(StorageError) in
        try RunRecord(folder: path, at: now)
      }
    } catch {
      // A disk that is full stops no server.
      logger.log(.warning, "no record", ["message": "\(error)"])
      record = nil
    }
    let verdicts: [Verdict]
    let (traps, run) = (record?.traps ?? [], record?.run ?? 0)
    if let url = configuration.clusterURL {
      // What is stored comes with its slots.
      state = StoredState()
      verdicts = try record.map { [folder] in try Self.judge($0, of: folder, url, at: now) } ?? []
    } else {
      (state, verdicts) = try await store.load(after: traps, run: run, at: now)
    }
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
    for verdict in verdicts { verdict.log(to: logger, recordedIn: configuration.recordFolder) }
    record.begin(.random(in: 1...UInt64.max))
  }

  /// Tells a cluster what has ended the process before.
  private static func judge(
    _ record: RunRecord, of folder: DataFolder?, _ url: String, at time: Double
  ) throws -> [Verdict] {
    guard let folder else { return [] }
    let judge = try PostgresJudge(PostgresStoreConfiguration(url: url))
    return try judge.judge(record.traps, run: record.run, of: folder.node, at: time)
  }

  /// The process has waited, and starts its server.
  func start() throws { try record?.start() }

  /// What happens in rooms is written down; nil if nobody has asked for it.
  func note(_ records: RecordFiles?) { if let records { record?.note(records: records.run) } }

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

/// Why the store was lost, if it was.
private final class StoreLoss: Sendable {
  private let sentence = Mutex<String?>(nil)

  var error: StorageError? { sentence.withLock { $0.map { StorageError($0) } } }

  /// Notes the loss; true the first time.
  func note(_ sentence: String) -> Bool {
    self.sentence.withLock { noted in
      defer { noted = noted ?? sentence }
      return noted == nil
    }
  }
}

extension PostgresStoreEvent {
  /// Tells the operator that the store has gone, or is back.
  fileprivate func log(to logger: Logger) {
    switch self {
    case .away(let message):
      logger.log(.error, "store away", ["message": message, "consequence": "commits wait, none is lost"])
    case .back: logger.log(.info, "store back", [:])
    case .lost(let message): logger.log(.error, "store lost", ["message": message])
    }
  }
}

extension Verdict {
  /// Tells the operator which event has ended the process, and what becomes of it.
  ///
  /// - Parameters:
  ///   - logger: The log.
  ///   - folder: The folder with the records of rooms; nil if there is none.
  fileprivate func log(to logger: Logger, recordedIn folder: String?) {
    let consequence =
      switch consequence {
      case .none: "nothing of it is stored"
      case .runsAgain(let strikes): "strike \(strikes) of \(Strike.limit); it is run again"
      case .isRefused: "strike \(Strike.limit); the input is refused from now on"
      case .isPutAside: "strike \(Strike.limit); the room's state is put aside, and its pages begin again"
      }
    let record = folder.flatMap { folder in CrashRecord.name(of: trap, in: folder).map { "\(folder)/\($0)" } }
    logger.log(
      .error, "event ended the process",
      [
        ("event", "\(trap.kind)"), ("screen", room?.screen ?? ""), ("room", room?.name ?? ""),
        ("session", String(trap.session.prefix(6))), ("input", trap.number > 0 ? "\(trap.number)" : ""),
        ("signal", SignalName.of(trap.signal)), ("consequence", consequence),
      ] + (record.map { [("record", $0)] } ?? []))
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
