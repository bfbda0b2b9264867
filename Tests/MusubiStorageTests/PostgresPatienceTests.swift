// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiPostgres
import MusubiWire
import PostgresServers
import Testing

@testable import MusubiSession
@testable import MusubiStorage

@Suite(.timeLimit(.minutes(5))) struct `A large commit in PostgreSQL` {
  @Test func `gets time by its bytes, and more with each attempt up to a ceiling`() {
    var patience = CommitPatience(answerTimeout: .seconds(10), bytes: 64 << 20)
    #expect(patience.limit == .seconds(74))

    patience.wasTooShort()
    #expect(patience.limit == .seconds(148))

    for _ in 0..<100 { patience.wasTooShort() }
    #expect(patience.limit == .seconds(32 * 74))
  }

  @Test(.enabled("a PostgreSQL server is installed") { PostgresServer.shared != nil })
  func `is stored by a server that needs longer than one answer may take`() async throws {
    let url = try PostgresServer.installed.newDatabase()
    var configuration = PostgresStoreConfiguration.patient(url: url)
    configuration.answerTimeout = .milliseconds(500)
    let store = try PostgresSessionStore(configuration) { _ in }
    let admin = try PostgresConnection(PostgresConfiguration(url: url))
    try admin.runScript(
      """
      CREATE FUNCTION musubi.take_long() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(1.2); RETURN NEW; END $$;
      CREATE TRIGGER slow BEFORE INSERT ON musubi.record
        FOR EACH STATEMENT EXECUTE FUNCTION musubi.take_long();
      """)
    var changes = StoreChanges()
    changes.rooms = [
      StoredRoom(
        key: RoomKey(screen: "number", name: "lobby", isPrivate: false), path: "/number", query: [:],
        visitor: .anonymous, position: StreamPosition(epoch: "e", sequence: 1), outputs: 1, state: "",
        texts: [], events: [], nextMember: 1, left: nil)
    ]

    let failure = await withCheckedContinuation { continuation in
      store.commit(changes) { result in
        if case .failure(let failure) = result {
          continuation.resume(returning: StoreFailure?.some(failure))
        } else {
          continuation.resume(returning: nil)
        }
      }
    }

    #expect(failure == nil)
    #expect(try await store.allRooms() == changes.rooms)
    await store.close()
  }
}
