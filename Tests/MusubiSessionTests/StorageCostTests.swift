// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiStorage

/// The writes of a keystroke, by counts of bytes and of pages of the file.
@Suite(.timeLimit(.minutes(5))) struct `A keystroke in a stored text` {
  /// What some keystrokes have written.
  private struct Cost {
    /// Bytes of records: of most keystrokes, and of all on average.
    var median = 0
    var average = 0
    /// Pages of the file, on average.
    var pages = 0.0
    /// How often the room was stored as a whole.
    var wholes = 0
  }

  /// Types into a text of so many bytes, stores each turn in a file, and reads it back at the end.
  private func type(_ keystrokes: Int, into size: Int, state isLong: Bool) async throws -> Cost {
    let (store, recorded) = (SimulatedStore(), Recorded())
    store.falsify = { changes in
      recorded.changes.append(changes)
      return changes
    }
    let network = SimulatedNetwork(
      seed: 3, latency: .init(.zero, .zero), store: store, routes: [.diary(isLong: isLong)])
    let page = RawPage(network, "diary", query: ["edits": "1"])
    func settle() { network.run(until: network.now + .milliseconds(20)) }
    settle()
    let text = String(repeating: "a", count: size)
    page.send(#"{"input":1,"name":"text","revision":0,"edits":[[0,0,"\#(text)"]]}"#)
    settle()
    let before = recorded.changes.count
    for number in 0..<keystrokes {
      let place = (number * 7_919) % size
      page.send(
        #"{"input":\#(number + 2),"name":"text","revision":\#(number + 1),"edits":[[\#(place),0,"x"]]}"#)
      settle()
      page.clear()
    }
    let typed = recorded.changes[before...]
    #expect(typed.count == keystrokes)

    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    let file = try SQLiteSessionStore(folder: folder)
    for changes in recorded.changes[..<before] { try await file.take(changes) }
    let pages = try await file.writtenPages()
    for changes in typed { try await file.take(changes) }
    var cost = Cost()
    cost.pages = Double(try await file.writtenPages() - pages) / Double(keystrokes)
    #expect(try await file.allRooms() == store.storedRooms)
    #expect(try await file.allSessions() == store.storedSessions)
    #expect(store.storedRooms[0].texts[0].text.utf8.count == size + keystrokes)
    await file.close()
    try FileManager.default.removeItem(atPath: folder)

    let bytes = try typed.map { changes in
      try changes.rooms.reduce(0) { $0 + (try SessionRecords.json($1)).utf8.count }
        + changes.roomSteps.reduce(0) { $0 + (try SessionRecords.json($1)).utf8.count }
        + changes.sessions.reduce(0) { $0 + (try SessionRecords.json($1)).utf8.count }
    }
    cost.median = bytes.sorted()[keystrokes / 2]
    cost.average = bytes.reduce(0, +) / keystrokes
    cost.wholes = typed.count { !$0.rooms.isEmpty }
    print("\(size) bytes, \(isLong ? "also in the state" : "small state"): \(cost)")
    return cost
  }

  @Test(arguments: [false, true]) func `writes as much as it changes, whatever the size of the text`(
    isLong: Bool
  ) async throws {
    let small = try await type(300, into: 1_024, state: isLong)
    let middle = try await type(300, into: 16 * 1_024, state: isLong)
    let large = try await type(60, into: 255 * 1_024, state: isLong)

    for cost in [small, middle, large] {
      #expect(cost.median < 400 && cost.average < 2 * 400)
      #expect(cost.pages < 8)
    }
    #expect(
      small.wholes > 2 && middle.wholes > 0 && large.wholes == 0, "Steps are gathered up, and not too early.")
  }
}

/// The store's requests.
private final class Recorded {
  var changes: [StoreChanges] = []
}

extension SQLiteSessionStore {
  /// Reads every room.
  fileprivate func allRooms() async throws -> [StoredRoom] {
    try await load().rooms.keys.sorted { $0.text < $1.text }.map { key throws(RecordError) in try room(key) }
  }

  /// Reads every session.
  fileprivate func allSessions() async throws -> [StoredSession] {
    try await load().sessions.keys.sorted().map { id throws(RecordError) in try session(id) }
  }

  fileprivate func take(_ changes: StoreChanges) async throws {
    let result = await withCheckedContinuation { continuation in
      commit(changes) { continuation.resume(returning: $0) }
    }
    #expect(throws: Never.self) { try result.get() }
  }
}

/// A long text; its state may have it, too.
private final class Diary: View, Restorable {
  private let field = TextField("text")
  private let isLong: Bool
  private(set) var state = ["title": "Diary", "text": ""]

  init(isLong: Bool) { self.isLong = isLong }

  override func viewDidLoad() {
    field.onChange = { [unowned self] in if isLong { state["text"] = $0 } }
  }
}

extension ScreenRoute {
  fileprivate static func diary(isLong: Bool) -> ScreenRoute {
    ScreenRoute(name: "diary", scope: .session) { _ in Diary(isLong: isLong) }
  }
}
