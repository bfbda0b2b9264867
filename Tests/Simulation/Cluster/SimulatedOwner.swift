// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import MusubiSession
import MusubiStorage
import MusubiTesting

/// Stores what the loops of a server have in the slots that it owns, one commit after the other, as
/// `PostgresOwner` does: what is to
/// be asked, and what the answers mean, is decided by the same `PostgresCommit`.
final class SimulatedOwner {
  private struct Submitted {
    let changes: StoreChanges
    let completion: @Sendable (Result<StoredSizes, StoreFailure>) -> Void
  }

  private unowned let server: SimulatedServer
  private var fences: [Int: PostgresFence] = [:]
  private var waiting: [Submitted] = []
  private var connection: EngineConnection?
  private let work = WorkQueue()

  init(_ server: SimulatedServer) { self.server = server }

  func submit(
    _ changes: StoreChanges, completion: @escaping @Sendable (Result<StoredSizes, StoreFailure>) -> Void
  ) {
    waiting.append(Submitted(changes: changes, completion: completion))
    if waiting.count == 1 { work.add { [unowned self] done in drain(done) } }
  }

  /// The server owns more slots.
  func own(_ slots: [Int: PostgresFence], then: @escaping () -> Void) {
    work.add { [unowned self] done in
      fences.merge(slots) { $1 }
      then()
      done()
    }
  }

  /// The server owns slots no more.
  func letGo(_ slots: [Int], then: @escaping () -> Void) {
    work.add { [unowned self] done in
      for slot in slots { fences[slot] = nil }
      then()
      done()
    }
  }

  private func drain(_ done: @escaping () -> Void) {
    guard !waiting.isEmpty else { return done() }
    let batch = waiting
    waiting = []
    var known: [Int: PostgresFence] = [:]
    for slot in batch.flatMap(\.changes.slots) { known[slot] = fences[slot] }
    goOn(PostgresCommit(known), batch) { [unowned self] in drain(done) }
  }

  private func goOn(_ commit: PostgresCommit, _ batch: [Submitted], _ done: @escaping () -> Void) {
    guard !commit.slots.isEmpty else { return end(batch, commit, isStored: true, done) }
    switch commit.step {
    case .write:
      connected { [unowned self] connection in write(commit, batch, connection, done) }
    case .burn:
      connected { [unowned self] connection in
        connection.run(locking: { _ in commit.slots }) { [id = server.id] state, _ in
          state.burn(commit.fences, of: id)
        } then: { [unowned self] answer in
          var commit = commit
          if answer != nil { commit.burned() }
          goOn(commit, batch, done)
        }
      }
    case .look(let slots): look(at: slots, commit, batch, done)
    case .confirm:
      connected { [unowned self] connection in
        connection.run(locking: { _ in commit.slots }) { _, _ in
          true
        } then: { [unowned self] answer in
          var commit = commit
          if answer != nil { commit.confirmed() }
          goOn(commit, batch, done)
        }
      }
    case .end(let isStored): end(batch, commit, isStored: isStored, done)
    }
  }

  private func write(
    _ commit: PostgresCommit, _ batch: [Submitted], _ connection: EngineConnection,
    _ done: @escaping () -> Void
  ) {
    let (id, mistake) = (server.id, server.cluster.mistake)
    let locked = mistake == .readsFence ? [] : commit.slots
    connection.run(locking: { _ in locked }) { [engine = connection.engine] state, snapshot -> Set<Int>? in
      engine.isFull
        ? nil
        : state.commit(batch.map(\.changes), commit.fences, of: id, snapshot: snapshot, mistake)
    } then: { [unowned self] answer in
      var commit = commit
      switch (answer, mistake) {
      case (nil, .takesUnknownForStored): commit.wrote(Set(commit.slots))
      case (nil, .takesUnknownForFailed): return guessFailure(commit, batch, done)
      case (nil, _): commit.lostAnswer()
      case (.some(nil), _): commit.wasRefused()
      case (.some(.some(let stored)), _): commit.wrote(stored)
      }
      goOn(commit, batch, done)
    }
  }

  private func look(
    at slots: [Int], _ commit: PostgresCommit, _ batch: [Submitted], _ done: @escaping () -> Void
  ) {
    connected { [unowned self] connection in
      connection.run(locking: nil) { [id = server.id] state, _ in
        let mine = slots.filter { state.rows[$0].node == id }
        return Dictionary(uniqueKeysWithValues: mine.map { ($0, state.rows[$0].fence) })
      } then: { [unowned self] rows in
        var commit = commit
        if let rows { commit.looked(rows) }
        goOn(commit, batch, done)
      }
    }
  }

  /// A mistake: what nobody has answered is told as failed, and the next commit begins where the table is.
  private func guessFailure(
    _ commit: PostgresCommit, _ batch: [Submitted], _ done: @escaping () -> Void
  ) {
    for one in batch { one.completion(.failure(StoreFailure("No answer."))) }
    connected { [unowned self] connection in
      connection.run(locking: nil) { state, _ in
        state.rows.map(\.fence)
      } then: { [unowned self] rows in
        for slot in commit.slots { if let row = rows?[slot] { fences[slot] = row } }
        done()
      }
    }
  }

  private func end(
    _ batch: [Submitted], _ commit: PostgresCommit, isStored: Bool, _ done: @escaping () -> Void
  ) {
    fences.merge(commit.fences) { $1 }
    for (slot, loss) in commit.lost {
      fences[slot] = nil
      if loss.row?.generation == loss.fence.generation { return server.loseStore(slot) }
    }
    for one in batch {
      guard isStored else {
        one.completion(.failure(StoreFailure("The disk is full.")))
        continue
      }
      var sizes = StoredSizes()
      sizes.rooms = one.changes.rooms.map { _ in 500 }
      sizes.steps = one.changes.roomSteps.map { _ in 100 }
      sizes.sessions = one.changes.sessions.map { _ in 300 }
      sizes.lost = one.changes.slots.filter { commit.fences[$0] == nil }
      one.completion(.success(sizes))
    }
    done()
  }

  /// Goes on with a connection, for as long as it takes to get one.
  private func connected(pause: Duration = .milliseconds(50), _ then: @escaping (EngineConnection) -> Void) {
    if let connection, !connection.isLost { return then(connection) }
    server.connect { [unowned self] connection in
      if let connection {
        self.connection = connection
        then(connection)
      } else {
        server.after(pause) { [unowned self] in connected(pause: min(pause * 2, .seconds(2)), then) }
      }
    }
  }
}

/// One work after the other, each of which says when it is done.
final class WorkQueue {
  private var works: [(@escaping () -> Void) -> Void] = []
  private var isBusy = false

  func add(_ work: @escaping (_ done: @escaping () -> Void) -> Void) {
    works.append(work)
    goOn()
  }

  private func goOn() {
    guard !isBusy, !works.isEmpty else { return }
    isBusy = true
    works.removeFirst()({ [weak self] in
      self?.isBusy = false
      self?.goOn()
    })
  }
}

/// A loop's way to the store of its server.
final class ClusterStoreClient: SessionStore {
  /// The server's process; nil when it has ended.
  private let process: Carried<() -> SimulatedServer?>
  private var server: SimulatedServer? { process.element() }

  init(_ process: @escaping () -> SimulatedServer?) { self.process = Carried(process) }

  func room(_ key: RoomKey) throws(RecordError) -> StoredRoom {
    guard let state = server?.readable(key.slot) else { throw .unreadable("The database is away.") }
    return try state.room(key)
  }

  func session(_ id: String) throws(RecordError) -> StoredSession {
    guard let state = server?.readable(SessionName.slot(of: id)) else {
      throw .unreadable("The database is away.")
    }
    return try state.session(id)
  }

  func commit(
    _ changes: StoreChanges, completion: @escaping @Sendable (Result<StoredSizes, StoreFailure>) -> Void
  ) {
    server?.owner.submit(changes, completion: completion)
  }
}
