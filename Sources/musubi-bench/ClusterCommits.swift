// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import MusubiBinding
import MusubiPostgres
import MusubiSession
import MusubiStorage
import PostgresServers
import Synchronization

/// Commits of 1, 16 and 256 records of as many rooms, on PostgreSQL beside those of a file.
///
/// Only a commit that survives a loss of power is the same on both; what a kill alone does not take is cheaper in a file.
enum ClusterCommits {
  /// Commits of so many records, on one store.
  struct Row: Encodable {
    let mode = Mode.cluster.rawValue
    let records: Int
    let store: String
    let p50Microseconds: Double
    let microsecondsPerRecord: Double
    /// How many times the time of the file that is synced.
    let timesSynced: Double?
    /// What a commit costs the database.
    let database: DatabaseCost?
  }

  private static let names = ["SQLite", "SQLite, synced", "PostgreSQL"]

  static func run(
    _ database: PostgresServer, _ options: Options, _ report: Report
  ) throws(BenchError) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "musubi-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let stores: [any DurableStore]
    let watcher: PostgresConnection
    do {
      let url = try database.newDatabase()
      watcher = try PostgresConnection(PostgresConfiguration(url: url))
      stores = [
        try SQLiteSessionStore(folder: folder.appending(path: "killed").path),
        try SQLiteSessionStore(folder: folder.appending(path: "synced").path, isSynced: true),
        try PostgresSessionStore(PostgresStoreConfiguration(url: url)) { _ in },
      ]
    } catch { throw BenchError("a store cannot be opened: \(error)") }
    defer { stores.forEach(close) }
    var rows: [Row] = []
    for count in [1, 16, 256] { rows += try measure(count, stores, watcher, options) }
    for row in rows { try report.record(row) }
    try report.table(
      "Commits of so many records, one after the other",
      header: [
        "records", "<store", "p50 us", "us per record", "x SQLite, synced", "CPU us of the database",
        "bytes of its log",
      ],
      rows: rows.map { row in
        [
          readable(Double(row.records)), row.store, readable(row.p50Microseconds),
          readable(row.microsecondsPerRecord, decimals: 1), readable(row.timesSynced, decimals: 3),
          readable(row.database?.cpuMicroseconds), readable(row.database?.logBytes),
        ]
      })
  }

  private static func measure(
    _ count: Int, _ stores: [any DurableStore], _ watcher: PostgresConnection, _ options: Options
  ) throws(BenchError) -> [Row] {
    let keys = (0..<count).map { RoomKey(screen: "bench", name: "\(count)-\($0)", isPrivate: false) }
    for store in stores { _ = try commit(try wholes(keys), to: store) }
    let times = max(10, (options.isQuick ? 60 : 200) / max(1, count / 16))
    var medians = [[Double]](repeating: [], count: stores.count)
    var costs: [DatabaseCost] = []
    var number = 0
    for _ in 0..<options.repeatCount {
      let changes = try (1...times).map { (step: Int) throws(BenchError) in try steps(keys, number + step) }
      number += times
      for (index, store) in stores.enumerated() {
        var durations: [Double] = []
        let before = try DatabaseCost(asking: watcher)
        for one in changes { durations.append(try commit(one, to: store)) }
        medians[index].append(median(durations))
        if index == 2 { costs.append(try DatabaseCost(asking: watcher).since(before, each: times)) }
      }
    }
    return stores.indices.map { index in
      let microseconds = median(medians[index])
      return Row(
        records: count, store: names[index], p50Microseconds: microseconds,
        microsecondsPerRecord: microseconds / Double(count),
        timesSynced: index == 1 ? nil : median(medians[index], relativeTo: medians[1]),
        database: index < 2
          ? nil
          : DatabaseCost(
            cpuMicroseconds: median(costs.map(\.cpuMicroseconds)), logBytes: median(costs.map(\.logBytes))))
    }
  }

  /// Commits, and waits.
  ///
  /// - Returns: Microseconds.
  private static func commit(_ changes: StoreChanges, to store: any DurableStore) throws(BenchError) -> Double
  {
    let done = DispatchSemaphore(value: 0)
    let outcome = Mutex<Result<StoredSizes, StoreFailure>?>(nil)
    let start = ContinuousClock.now
    store.commit(changes) { result in
      outcome.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    let microseconds = start.duration(to: .now) / .microseconds(1)
    switch outcome.withLock({ $0 }) {
    case .success(let sizes) where sizes.lost.isEmpty: return microseconds
    case .success: throw BenchError("a store of this program's own was lost")
    case .failure(let failure): throw BenchError("a commit failed: \(failure.message)")
    case nil: throw BenchError("a commit has no outcome")
    }
  }

  private static func close(_ store: any DurableStore) {
    let done = DispatchSemaphore(value: 0)
    Task {
      await store.close()
      done.signal()
    }
    done.wait()
  }

  // MARK: - Records, as a loop makes them of a page that types into a field of eight digits

  private static func wholes(_ keys: [RoomKey]) throws(BenchError) -> StoreChanges {
    var changes = StoreChanges()
    do {
      let visitor = String(decoding: try JSONEncoder().encode(Visitor.anonymous), as: UTF8.self)
      for key in keys {
        let name = String(decoding: try JSONEncoder().encode(key), as: UTF8.self)
        let text = """
          {"key":\(name),"path":"/number","query":{},"visitor":\(visitor),"position":{"epoch":"e","sequence":1},
          "outputs":1,"state":{"label":"00000000","number":"00000000"},"texts":[],"events":[],"nextMember":2}
          """
        changes.rooms.append(try JSONDecoder().decode(StoredRoom.self, from: Data(text.utf8)))
        changes.rooms[changes.rooms.count - 1].label = RecordLabel(slot: key.slot)
      }
    } catch { throw BenchError("a record cannot be made: \(error)") }
    return changes
  }

  private static func steps(_ keys: [RoomKey], _ number: Int) throws(BenchError) -> StoreChanges {
    var changes = StoreChanges()
    let digits = String(number + 10_000_000)
    let text = """
      {"number":\(number),"sequence":\(number + 1),"outputs":1,"state":[{"path":["label"],"value":"\(digits)"},
      {"path":["number"],"value":"\(digits)"}],"texts":[],"nextMember":2}
      """
    do {
      let step = try JSONDecoder().decode(StoredRoomStep.self, from: Data(text.utf8))
      for key in keys {
        var own = step
        (own.room, own.slot) = (key.text, key.slot)
        changes.roomSteps.append(own)
      }
    } catch { throw BenchError("a record cannot be made: \(error)") }
    return changes
  }
}
