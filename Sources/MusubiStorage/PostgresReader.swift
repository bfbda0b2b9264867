// SPDX-License-Identifier: Apache-2.0
import MusubiPostgres
import MusubiSession
import Synchronization

/// Reads single records for the loops, one at a time, by a connection that the store's thread opens: no loop waits for one.
final class PostgresReader: Sendable {
  private let configuration: PostgresConfiguration
  private let connection = Mutex<PostgresConnection?>(nil)
  /// Whether there is a connection: else nobody waits for the lock.
  private let isOpen = Atomic(false)

  init(_ store: PostgresStoreConfiguration) {
    var configuration = PostgresConfiguration(url: store.url)
    configuration.answerTimeout = store.readTimeout
    configuration.applicationName = "musubi reader"
    self.configuration = configuration
  }

  /// Opens the connection unless there is one.
  func open() throws {
    guard !isOpen.load(ordering: .relaxed) else { return }
    try connection.withLock { $0 = try PostgresConnection(configuration) }
    isOpen.store(true, ordering: .relaxed)
  }

  /// Lets the connection go, because it may lead to a server that is not the primary any more.
  func close() {
    isOpen.store(false, ordering: .relaxed)
    connection.withLock { $0 = nil }
  }

  func read<Record: Sendable>(
    _ work: (PostgresConnection) throws -> Record?
  ) throws(RecordError) -> Record {
    do {
      let away = PostgresError(.unreachable, "PostgreSQL is away")
      guard isOpen.load(ordering: .relaxed) else { throw away }
      let record = try connection.withLock { connection throws -> Record? in
        guard let open = connection else { throw away }
        defer {
          if open.isLost {
            isOpen.store(false, ordering: .relaxed)
            connection = nil
          }
        }
        return try work(open)
      }
      guard let record else { throw RecordError.broken("it is not in the database") }
      return record
    } catch let error as PostgresError where error.kind != .wrongType {
      throw .unreadable("\(error)")
    } catch {
      throw RecordError(error)
    }
  }
}
