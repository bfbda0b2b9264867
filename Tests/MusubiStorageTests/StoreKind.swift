// SPDX-License-Identifier: Apache-2.0
import Foundation
import PostgresServers
import Testing

@testable import MusubiSession
@testable import MusubiStorage

/// The stores that keep the same promises.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case sqlite, postgres

  /// Those that can be tested here; what is missing is told on standard error.
  static let installed = PostgresServer.shared == nil ? [.sqlite] : allCases

  var testDescription: String { rawValue }

  /// A place for a store that holds nothing yet.
  func newPlace() throws -> StorePlace {
    switch self {
    case .sqlite:
      .folder(
        FileManager.default.temporaryDirectory.appendingPathComponent("musubi-\(UUID().uuidString)").path)
    case .postgres: .database(try PostgresServer.installed.newDatabase())
    }
  }
}

/// Where a store is, so that it can be opened again.
enum StorePlace {
  case folder(String)
  case database(String)

  func open() throws -> any DurableStore {
    switch self {
    case .folder(let folder): try SQLiteSessionStore(folder: folder)
    case .database(let url): try PostgresSessionStore(.patient(url: url)) { _ in }
    }
  }
}

extension PostgresStoreConfiguration {
  /// A store whose server shares a busy machine with other tests: no answer is late.
  static func patient(url: String, node: Int64 = .random(in: 1...Int64.max)) -> PostgresStoreConfiguration {
    var configuration = PostgresStoreConfiguration(url: url, node: node)
    configuration.answerTimeout = .seconds(120)
    configuration.readTimeout = .seconds(120)
    return configuration
  }
}

extension PostgresServer {
  /// The shared server, for tests that are run only if there is one.
  static var installed: PostgresServer {
    get throws {
      guard let shared else { throw CocoaError(.fileNoSuchFile) }
      return shared
    }
  }
}

extension DurableStore {
  /// Reads every room.
  func allRooms() async throws -> [StoredRoom] {
    try await load().rooms.keys.sorted { $0.text < $1.text }.map { key throws(RecordError) in try room(key) }
  }

  /// Reads every session.
  func allSessions() async throws -> [StoredSession] {
    try await load().sessions.keys.sorted().map { id throws(RecordError) in try session(id) }
  }
}
