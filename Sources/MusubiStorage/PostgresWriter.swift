// SPDX-License-Identifier: Apache-2.0
import Dispatch
import MusubiPostgres
import MusubiSession
import Synchronization

/// The thread of a store: commits of several loops share one statement.
final class PostgresWriter: Sendable {
  /// What a loop stores.
  struct Commit: Sendable {
    let changes: StoreChanges
    let completion: @Sendable (Result<StoredSizes, StoreFailure>) -> Void
  }

  private let thread = DispatchQueue(label: "musubi.postgres", autoreleaseFrequency: .workItem)
  private let signals: PostgresSignals
  private let beat: Duration
  /// Used on the thread alone.
  private let owner: Mutex<PostgresOwner>
  private let waiting = Mutex<[Commit]>([])
  /// The most owners that a slot has had so far, with this one; 0 in a cluster.
  let generation: Int

  /// So many commits share one statement.
  private static let maxCommits = 64
  /// A statement takes no further commit along once it has so many bytes.
  private static let maxBytes = 4 << 20

  init(
    _ configuration: PostgresStoreConfiguration, node: Int64?, _ reader: PostgresReader,
    _ signals: PostgresSignals
  ) throws {
    (self.signals, beat) = (signals, configuration.beat)
    let owner = try PostgresOwner(configuration, node: node, reader, signals)
    generation = owner.fences.values.map(\.generation).max() ?? 0
    self.owner = Mutex(owner)
    beatLater()
  }

  /// What the owner knows of a slot.
  func fence(of slot: Int) async -> PostgresFence? { await run { $0.fences[slot] } }

  /// The node owns more slots from now on.
  func own(_ slots: [Int: PostgresFence]) async { await run { $0.own(slots) } }

  /// The node owns slots no more, after all commits that were submitted before: these have the thread first.
  func letGo(_ slots: Set<Int>) async { await run { $0.letGo(slots) } }

  func submit(_ commit: Commit) {
    let isFirst = waiting.withLock { waiting in
      waiting.append(commit)
      return waiting.count == 1
    }
    if isFirst { thread.async { [self] in owner.withLock { drain($0) } } }
  }

  /// Runs a work and stores the changes that it asks for, in one transaction that only a living node can end.
  func perform<Output: Sendable>(
    storing work: @escaping @Sendable (PostgresConnection) throws -> (StoreChanges, Output)
  ) async throws -> Output {
    try await run { owner in Result { try owner.transact(work) } }.get()
  }

  /// Stores what waits and gives the store up; waits for a server that does not answer no longer than so.
  func close() async {
    signals.close()
    await withCheckedContinuation { continuation in
      let waiter = Mutex<CheckedContinuation<Void, Never>?>(continuation)
      let done = { @Sendable in
        waiter.withLock { waiter in
          waiter?.resume()
          waiter = nil
        }
      }
      thread.async { [self] in
        owner.withLock {
          drain($0)
          $0.close()
        }
        done()
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + 3) { done() }
    }
  }

  private func run<Output: Sendable>(
    _ work: @escaping @Sendable (PostgresOwner) -> Output
  ) async -> Output {
    await withCheckedContinuation { continuation in
      thread.async { [self] in continuation.resume(returning: owner.withLock { work($0) }) }
    }
  }

  private func beatLater() {
    thread.asyncAfter(deadline: .now() + beat / .seconds(1)) { [weak self] in
      guard let self, !signals.isClosing else { return }
      owner.withLock { $0.beat() }
      beatLater()
    }
  }

  private func drain(_ owner: PostgresOwner) {
    while true {
      let batch = waiting.withLock { waiting in
        let batch = Array(waiting.prefix(Self.maxCommits))
        waiting.removeFirst(batch.count)
        return batch
      }
      guard !batch.isEmpty else { return }
      store(batch, owner)
    }
  }

  private func store(_ batch: [Commit], _ owner: PostgresOwner) {
    var changes = PostgresChanges()
    var sizes: [StoredSizes] = []
    do {
      for commit in batch where changes.weight < Self.maxBytes {
        sizes.append(try changes.add(commit.changes))
      }
      let lost = try owner.write(changes)
      for (commit, var sizes) in zip(batch, sizes) {
        if !lost.isEmpty { sizes.lost = lost.intersection(commit.changes.slots) }
        commit.completion(.success(sizes))
      }
      if sizes.count < batch.count { store(Array(batch[sizes.count...]), owner) }
    } catch {
      // One that asks for too much does not take its neighbours with it.
      guard batch.count == 1 || signals.loss != nil || signals.isClosing else {
        for commit in batch { store([commit], owner) }
        return
      }
      let failure = StoreFailure("Sessions cannot be stored: \(StorageError(postgres: error))")
      for commit in batch { commit.completion(.failure(failure)) }
    }
  }
}
