// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiText
import MusubiClient
import MusubiWire

/// Frames encoded and decoded by Musubi, beside the same JSON through Foundation's `Codable`.
enum CodecBenchmark {
  /// One row.
  struct Row: Encodable {
    let mode: String
    let work: String
    let bytes: Int
    let musubi: Stopwatch.Reading
    let foundation: Stopwatch.Reading?
  }

  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    let watch = Stopwatch(options)
    let rows: [Row]
    do {
      rows = [
        try decodeInput(watch), try encodeTurn(watch), encodeValue(watch), try decodeTurn(watch),
        try encodeSnapshot(watch), diffList(watch), try typeInto(1_000, watch),
        try typeInto(60_000, watch),
      ]
    } catch { throw BenchError("the codec failed on a frame of its own: \(error)") }
    for row in rows { try report.record(row) }
    if let bytes = rows.first(where: { $0.work == oneValue })?.bytes {
      report.find(.count, "\(oneValue): bytes", Double(bytes))
      report.budget("bytes per update to another client", .atMost, 70, reached: Double(bytes))
    }
    try report.table(
      "Codec, CPU time of one core",
      header: ["<work", "bytes", "Musubi ns", "spread", "Foundation ns", "times faster"],
      rows: rows.map { row in
        [
          row.work, readable(Double(row.bytes)), readable(row.musubi.nanoseconds),
          readable(row.musubi.spread * 100) + " %", readable(row.foundation?.nanoseconds),
          readable(row.foundation.map { $0.nanoseconds / row.musubi.nanoseconds }, decimals: 1),
        ]
      })
  }

  private static func row(
    _ work: String, _ bytes: Int, _ musubi: Stopwatch.Reading, _ foundation: Stopwatch.Reading?
  ) -> Row {
    Row(mode: Mode.codec.rawValue, work: work, bytes: bytes, musubi: musubi, foundation: foundation)
  }

  /// Types a character over one in the middle of an ASCII text: positions cost nothing there, and only the
  /// copy of the text remains.
  private static func typeInto(_ bytes: Int, _ watch: Stopwatch) throws -> Row {
    var text = String(repeating: "a", count: bytes)
    let edit = TextEdit(position: bytes / 2, deleted: 1, inserted: "b")
    let ours = try watch.read { count in for _ in 0..<count { try edit.apply(to: &text) } }
    return row("type into the middle of a text", bytes, ours, nil)
  }

  // MARK: - Frames of the number screen

  private static func decodeInput(_ watch: Stopwatch) throws -> Row {
    let json = Array(#"{"input":4711,"name":"number","revision":815,"edits":[[0,8,"00004711"]]}"#.utf8)
    let data = Data(json)
    let ours = try watch.read { count in for _ in 0..<count { keep(try ClientFrame(json: json)) } }
    let decoder = JSONDecoder()
    let theirs = try watch.read { count in
      for _ in 0..<count { keep(try decoder.decode(FoundationInput.self, from: data)) }
    }
    return row("decode an edit", json.count, ours, theirs)
  }

  private static let edit = TextEdit(position: 0, deleted: 8, inserted: "00004711")

  /// Memory that the server keeps between turns.
  private struct Turn: ~Copyable {
    var pieces = TurnPieces()
    var frame = ByteBuffer()
    let label = TurnPieces.beginningOfReplace("label")
    let number = TurnPieces.beginningOfReplace("number")
    let count = TurnPieces.beginningOfReplace("count")
    let edits = TurnPieces.beginningOfEdits("number")

    mutating func clear() {
      pieces.removeAll()
      frame.removeAll()
    }

    mutating func write() {
      pieces.write(to: &frame, sequence: 4711, screen: 0) { [edits] _, frame in
        frame.append(contentsOf: edits)
        frame.appendJSON(816)
      }
    }
  }

  private static func encodeTurn(_ watch: Stopwatch) throws -> Row {
    var turn = Turn()
    let text = "00004711"
    let ours = watch.read { count in
      for _ in 0..<count {
        turn.clear()
        turn.frame.acknowledge(4711, revision: 816)
        turn.pieces.replace(turn.label, with: .string(text))
        turn.pieces.replace(turn.number, with: .string(text))
        turn.pieces.add(edit, to: 0)
        turn.write()
      }
    }
    let size = turn.frame.count
    let encoder = JSONEncoder()
    let operations = ["/label", "/number"].map {
      FoundationTurn.Operation(op: "replace", path: $0, value: text)
    }
    let same = FoundationTurn(sequence: 4711, patch: operations)
    let theirs = try watch.read { count in for _ in 0..<count { keep(try encoder.encode(same)) } }
    return row("encode ack and turn (Foundation: turn)", size, ours, theirs)
  }

  private static let oneValue = "encode a turn of one value"

  /// The frame that a counter's page gets for each change.
  private static func encodeValue(_ watch: Stopwatch) -> Row {
    var turn = Turn()
    let ours = watch.read { count in
      for _ in 0..<count {
        turn.clear()
        turn.pieces.replace(turn.count, with: .integer(815))
        turn.write()
      }
    }
    return row(oneValue, turn.frame.count, ours, nil)
  }

  private static func decodeTurn(_ watch: Stopwatch) throws -> Row {
    var turn = Turn()
    turn.pieces.replace(turn.label, with: "00004711")
    turn.pieces.replace(turn.number, with: "00004711")
    turn.write()
    let json = Array(WebSocketFrame.payload(ofUnmasked: [UInt8](turn.frame)))
    let data = Data(json)
    let ours = try watch.read { count in for _ in 0..<count { keep(try ReceivedFrame(json: json)) } }
    let decoder = JSONDecoder()
    let theirs = try watch.read { count in
      for _ in 0..<count { keep(try decoder.decode(FoundationTurn.self, from: data)) }
    }
    return row("decode a turn", json.count, ours, theirs)
  }

  // MARK: - A list of a thousand rows

  private static func list(changed: Int?) -> Value {
    let rows = (0..<1_000).map { index -> Value in
      let title = index == changed ? "changed" : "title \(index)"
      return ["id": .string("row-\(index)"), "title": .string(title), "done": .bool(index.isMultiple(of: 3))]
    }
    return ["contents": .array(rows)]
  }

  private static func encodeSnapshot(_ watch: Stopwatch) throws -> Row {
    guard let contents = list(changed: nil)["contents"] else { throw BenchError("there is no list") }
    var frame = ByteBuffer()
    let ours = watch.read { count in
      for _ in 0..<count {
        frame.removeAll()
        frame.snapshot(epoch: "kT4x", sequence: 12, revisions: []) { $0.member("contents", contents) }
      }
    }
    let size = frame.count
    let encoder = JSONEncoder()
    let rows = (0..<1_000).map {
      FoundationRow(id: "row-\($0)", title: "title \($0)", done: $0.isMultiple(of: 3))
    }
    let theirs = try watch.read { count in for _ in 0..<count { keep(try encoder.encode(rows)) } }
    return row("encode a snapshot of 1,000 rows", size, ours, theirs)
  }

  private static func diffList(_ watch: Stopwatch) -> Row {
    let old = list(changed: nil)
    let new = list(changed: 500)
    var turn = Turn()
    for operation in Diff.operations(from: old, to: new) { turn.pieces.add(operation) }
    turn.write()
    let ours = watch.read { count in for _ in 0..<count { keep(Diff.operations(from: old, to: new)) } }
    return row("diff 1,000 rows of which one changed", turn.frame.count, ours, nil)
  }
}

// MARK: - The same frames for Foundation

private struct FoundationInput: Decodable {
  let input: Int
  let name: String
  let revision: Int
  let edits: [Component]

  struct Component: Decodable {
    let position: Int
    let deleted: Int
    let inserted: String

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      position = try container.decode(Int.self)
      deleted = try container.decode(Int.self)
      inserted = try container.decode(String.self)
    }
  }
}

private struct FoundationTurn: Codable {
  let sequence: Int
  let patch: [Operation]

  struct Operation: Codable {
    let op: String
    let path: String
    let value: String
  }
}

private struct FoundationRow: Encodable {
  let id: String
  let title: String
  let done: Bool
}
