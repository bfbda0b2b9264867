// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization
import Testing

@testable import MusubiSQLite

@Suite(.timeLimit(.minutes(5))) struct `A database queue` {
  @Test func `commits together what comes during a commit`() async throws {
    let queue = try DatabaseQueue(.memory, migrator: Pets.migrator)
    let results = Results(expected: 101)
    let gate = await queue.held(results)

    for number in 1...100 {
      queue.write({ try Pets.add("pet \(number)", to: $0) }, completion: results.add)
    }
    gate.signal()
    await results.all()

    #expect(queue.statistics == .init(works: 101, commits: 2))
    #expect(try await queue.read { try Pets.names($0) } == (1...100).map { "pet \($0)" })
  }

  @Test func `tells success only after the commit`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("pets")
    let queue = try DatabaseQueue(.file(path), migrator: Pets.migrator)

    let seen = await withCheckedContinuation { continuation in
      queue.write({ try Pets.add("Tama", to: $0) }) { _ in
        continuation.resume(returning: Result { try Pets.names(SQLiteConnection(.file(path))) })
      }
    }

    #expect(try seen.get() == ["Tama"])
  }

  @Test func `takes back a failing work alone`() async throws {
    let queue = try DatabaseQueue(.memory, migrator: Pets.migrator)
    let results = Results(expected: 4)
    let gate = await queue.held(results)

    queue.write({ try Pets.add("Tama", to: $0) }, completion: results.add)
    queue.write(
      { connection in
        try Pets.add("Pochi", to: connection)
        throw Pets.Refused()
      }, completion: results.add)
    queue.write({ try Pets.add("Kuro", to: $0) }, completion: results.add)
    gate.signal()
    await results.all()

    #expect(results.successes == [true, true, false, true])
    #expect(try await queue.read { try Pets.names($0) } == ["Tama", "Kuro"])
  }

  @Test func `keeps the small works beside one that is too large for the disk`() async throws {
    let folder = try TemporaryFolder()
    var configuration = DatabaseQueueConfiguration()
    configuration.connection.maxPages = 10
    let queue = try DatabaseQueue(
      .file(folder.path("pets")), configuration: configuration, migrator: Pets.migrator)
    let results = Results(expected: 4)
    let gate = await queue.held(results)

    queue.write({ try Pets.add("Tama", to: $0) }, completion: results.add)
    queue.write(
      { try $0.run("INSERT INTO pet VALUES ('Elephant', ?)", [UInt8](repeating: 1, count: 80_000)) },
      completion: results.add)
    queue.write({ try Pets.add("Kuro", to: $0) }, completion: results.add)
    gate.signal()
    await results.all()

    #expect(results.successes == [true, true, false, true])
    #expect(results.kinds == [.full])
    #expect(try await queue.read { try Pets.names($0) } == ["Tama", "Kuro"])
  }

  @Test func `still reads while another connection keeps it from writing`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("pets")
    var configuration = DatabaseQueueConfiguration()
    configuration.connection.busyTimeout = .zero
    let queue = try DatabaseQueue(.file(path), configuration: configuration, migrator: Pets.migrator)
    try await queue.write { try Pets.add("Tama", to: $0) }
    let holder = try SQLiteConnection(.file(path))
    try holder.begin()

    let error = await sqliteError { try await queue.write { try Pets.add("Pochi", to: $0) } }
    let names = try await queue.read { try Pets.names($0) }
    holder.rollBack()
    try await queue.write { try Pets.add("Kuro", to: $0) }

    #expect(error?.kind == .busy)
    #expect(names == ["Tama"])
    #expect(try await queue.read { try Pets.names($0) } == ["Tama", "Kuro"])
  }

  @Test func `refuses more work than it may hold`() async throws {
    var configuration = DatabaseQueueConfiguration()
    configuration.maxWaitingWorks = 2
    let queue = try DatabaseQueue(.memory, configuration: configuration, migrator: Pets.migrator)
    let results = Results(expected: 4)
    let gate = await queue.held(results)

    for name in ["Tama", "Pochi", "Kuro"] {
      queue.write({ try Pets.add(name, to: $0) }, completion: results.add)
    }
    #expect(results.kinds == [.queueFull])
    gate.signal()
    await results.all()

    #expect(try await queue.read { try Pets.names($0) } == ["Tama", "Pochi"])
  }

  @Test func `does what waits when it is closed, and nothing afterwards`() async throws {
    let folder = try TemporaryFolder()
    let queue = try DatabaseQueue(.file(folder.path("pets")), migrator: Pets.migrator)
    let results = Results(expected: 2)
    let gate = await queue.held(results)
    queue.write({ try Pets.add("Tama", to: $0) }, completion: results.add)

    gate.signal()
    await queue.close()
    await queue.close()
    let error = await sqliteError { try await queue.write { try Pets.add("Pochi", to: $0) } }

    #expect(results.successes == [true, true])
    #expect(error?.kind == .closed)
    #expect(try Pets.names(SQLiteConnection(.file(folder.path("pets")))) == ["Tama"])
  }
}

extension DatabaseQueue {
  /// Stops the queue's thread inside a write; returns when it stands, with the semaphore that lets it go on.
  fileprivate func held(_ results: Results) async -> DispatchSemaphore {
    let gate = DispatchSemaphore(value: 0)
    await withCheckedContinuation { continuation in
      write(
        { _ in
          continuation.resume()
          gate.wait()
        }, completion: results.add)
    }
    return gate
  }
}

/// Collects the outcomes of works in the order in which they are told.
private final class Results: Sendable {
  private struct State {
    var outcomes: [Result<Void, any Error>] = []
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let expected: Int
  private let state = Mutex(State())

  init(expected: Int) { self.expected = expected }

  var successes: [Bool] {
    state.withLock { state in
      state.outcomes.map { if case .success = $0 { true } else { false } }
    }
  }

  var kinds: [SQLiteError.Kind] {
    state.withLock { state in
      state.outcomes.compactMap { outcome in
        guard case .failure(let error) = outcome else { return nil }
        return (error as? SQLiteError)?.kind
      }
    }
  }

  func add<Output>(_ result: Result<Output, any Error>) {
    let waiter = state.withLock { state in
      state.outcomes.append(result.map { _ in })
      return state.outcomes.count == expected ? state.waiter : nil
    }
    waiter?.resume()
  }

  func all() async {
    await withCheckedContinuation { continuation in
      let isComplete = state.withLock { state in
        if state.outcomes.count < expected { state.waiter = continuation }
        return state.outcomes.count >= expected
      }
      if isComplete { continuation.resume() }
    }
  }
}
