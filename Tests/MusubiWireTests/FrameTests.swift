// SPDX-License-Identifier: Apache-2.0

import MusubiClient
import MusubiText
import Seeds
import Testing

@testable import MusubiWire

@Suite struct `Frames of the client` {
  static let valid: [(String, ClientFrame)] = [
    (#"{"input":1,"name":"roll"}"#, .input(.init(number: 1, name: "roll"))),
    (
      #"{"input":12,"name":"number","value":"hello"}"#,
      .input(.init(number: 12, name: "number", payload: .value("hello")))
    ),
    (
      #"{"value":null,"name":"\u006eumber","\u0069nput":2}"#,
      .input(.init(number: 2, name: "number", payload: .value(nil)))
    ),
    (
      #"{"input":6,"name":"number","revision":14,"edits":[[0,0,"4"],[3,1,"é"]]}"#,
      .input(
        .init(
          number: 6, name: "number",
          payload: .edit(
            TextEdit([
              .init(position: 0, deleted: 0, inserted: "4"), .init(position: 3, deleted: 1, inserted: "é"),
            ]), revision: 14)))
    ),
    (
      #"{"input":6,"name":"title","sequence":14,"edits":[[0,0,"4"]],"row":"42"}"#,
      .input(
        .init(
          number: 6, name: "title", payload: .firstEdit(TextEdit(position: 0, inserted: "4"), sequence: 14),
          row: ["42"]))
    ),
    (
      #"{"input":7,"name":"title","sequence":14,"shown":"結び","edits":[[0,0,"4"]],"row":"42"}"#,
      .input(
        .init(
          number: 7, name: "title",
          payload: .firstEdit(TextEdit(position: 0, inserted: "4"), sequence: 14, shown: "結び"), row: ["42"]))
    ),
    (#"{"input":3,"name":"open","row":"42"}"#, .input(.init(number: 3, name: "open", row: ["42"]))),
    (
      #"{"input":9007199254740991,"name":"x","row":["a","b"],"screen":3,"value":{"a":[1]}}"#,
      .input(
        .init(
          number: 9_007_199_254_740_991, name: "x", payload: .value(["a": [1]]), row: ["a", "b"], screen: 3))
    ),
    (#"{"input":1,"name":"x","future":{"a":[1,2]},"later":1}"#, .input(.init(number: 1, name: "x"))),
    (
      #"{"resume":{"session":"Jm3","token":"wX0","position":["kT4x",12]}}"#,
      .resume(.init(session: "Jm3", token: "wX0", epoch: "kT4x", sequence: 12))
    ),
    (#" { "ping" : -7 } "#, .ping(-7)),
  ]

  @Test(arguments: valid)
  func `each kind is read and written`(json: String, frame: ClientFrame) throws {
    #expect(try ClientFrame(json: Array(json.utf8)) == frame)
    #expect(try ClientFrame(json: [UInt8](writing: { $0.appendJSON(frame) })) == frame)
  }

  @Test(arguments: valid)
  func `a frame cut at any byte is refused`(json: String, frame: ClientFrame) {
    var bytes = Array(json.utf8)
    while bytes.last == 0x20 { bytes.removeLast() }
    for length in 0..<bytes.count {
      let error = #expect(throws: WireError.self) { try ClientFrame(json: Array(bytes[..<length])) }
      #expect(error.map { $0.offset <= length } ?? false)
    }
  }

  @Test(arguments: [
    (#"{"nonsense":1}"#, ErrorCode.unknownInput), ("{}", .unknownInput), (#"{"name":"x"}"#, .unknownInput),
    (#"{"input":1,"name":"x","ping":1}"#, .unknownInput), ("[]", .malformed), ("1", .malformed),
    ("", .malformed),
    (#"{"input":1}"#, .malformed), (#"{"input":0,"name":"x"}"#, .malformed),
    (#"{"input":-1,"name":"x"}"#, .malformed),
    (#"{"input":1.5,"name":"x"}"#, .malformed), (#"{"input":9007199254740992,"name":"x"}"#, .malformed),
    (#"{"input":"1","name":"x"}"#, .malformed), (#"{"input":1,"name":2}"#, .malformed),
    (#"{"input":1,"name":"x","name":"x"}"#, .malformed), (#"{"input":1,"name":"x","a":1,"a":2}"#, .malformed),
    (#"{"input":1,"name":"x","row":7}"#, .malformed), (#"{"input":1,"name":"x","row":[7]}"#, .malformed),
    (#"{"input":1,"name":"x","edits":[]}"#, .malformed),
    (#"{"input":1,"name":"x","revision":1}"#, .malformed),
    (#"{"input":1,"name":"x","revision":1,"edits":[],"value":1}"#, .malformed),
    (#"{"input":1,"name":"x","revision":1,"edits":{}}"#, .malformed),
    (#"{"input":1,"name":"x","revision":1,"edits":[[2,0,"a"],[1,0,"b"]]}"#, .malformed),
    (#"{"input":1,"name":"x","screen":-1}"#, .malformed), (#"{"input":1,"name":"x"} x"#, .malformed),
    (#"{"resume":{}}"#, .malformed), (#"{"resume":1}"#, .malformed),
    (#"{"resume":{"session":"a","token":"b","position":["e"]}}"#, .malformed), (#"{"ping":"1"}"#, .malformed),
  ])
  func `a mistake gets its error code`(json: String, code: ErrorCode) {
    let error = #expect(throws: WireError.self) { try ClientFrame(json: Array(json.utf8)) }

    #expect(error?.errorCode == code)
    #expect(error?.description.isEmpty == false)
  }

  @Test func `random bytes never trap`() throws {
    try forSeeds(20_000) { random in
      var json = Array(random.oneOf(Self.valid).0.utf8)
      for _ in 0...random.below(3) {
        json[random.below(json.count)] = UInt8(truncatingIfNeeded: random.next())
      }
      do throws(WireError) { _ = try ClientFrame(json: json) } catch {}
    }
  }

  @Test func `member names are packed as they are spelt`() {
    for member in ClientMember.allCases {
      let packed = "\(member)".utf8.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      #expect(member.rawValue == packed, "\(member)")
    }
  }
}

@Suite struct `Frames of the server` {
  static let valid: [(String, ReceivedFrame)] = [
    (
      #"{"hello":{"protocol":1,"session":"Jm3","token":"wX0","schema":"9f2c","heartbeat":20}}"#,
      ReceivedFrame(.hello(.init(session: "Jm3", token: "wX0", schema: "9f2c", heartbeat: 20)))
    ),
    (
      #"{"snapshot":{"label":"0","number.field":""},"epoch":"kT4x","sequence":0,"revisions":{"number":0,"text":3},"screen":2}"#,
      ReceivedFrame(
        .snapshot(
          .init(
            state: ["label": "0", "number.field": ""], epoch: "kT4x", sequence: 0,
            revisions: ["text": 3, "number": 0])),
        screen: 2)
    ),
    (#"{"sequence":5}"#, ReceivedFrame(.turn(.init(sequence: 5)))),
    (
      #"{"sequence":14,"patch":[{"op":"replace","path":"/label","value":"57"},{"op":"move","from":"/a/0","path":"/a/2"}],"edits":{"number":{"revision":16,"steps":[[[1,0,"2"]],[[0,2,"AB"]]]},"text":{"revision":2,"steps":[[]]}},"events":[{"name":"saved"},{"name":"message","value":{"a":"\n"}}],"screen":1}"#,
      ReceivedFrame(
        .turn(
          .init(
            sequence: 14,
            patch: [.replace(path: ["label"], value: "57"), .move(from: ["a", "0"], path: ["a", "2"])],
            edits: [
              .init(
                name: "number", revision: 16,
                steps: [
                  TextEdit(position: 1, inserted: "2"), TextEdit(position: 0, deleted: 2, inserted: "AB"),
                ]), .init(name: "text", revision: 2, steps: [TextEdit([])]),
            ],
            events: [.init(name: "saved"), .init(name: "message", value: ["a": "\n"])])), screen: 1)
    ),
    (
      #"{"sequence":6,"events":[{"name":"saved"}]}"#,
      ReceivedFrame(.turn(.init(sequence: 6, events: [.init(name: "saved")])))
    ),
    (#"{"ack":7}"#, ReceivedFrame(.acknowledged(7, revision: nil))),
    (#"{"ack":7,"revision":15,"screen":4}"#, ReceivedFrame(.acknowledged(7, revision: 15), screen: 4)),
    (
      #"{"error":{"code":"wrong-type","message":"\"x\" takes a number","input":3}}"#,
      ReceivedFrame(.error(code: "wrong-type", message: "\"x\" takes a number", input: 3))
    ),
    (
      #"{"error":{"code":"internal","message":"m"}}"#,
      ReceivedFrame(.error(code: "internal", message: "m", input: nil))
    ),
    (
      #"{"screens":[{"screen":0,"name":"contents","path":"/contents","dialog":{"name":"ask","value":{"id":4}}},{"screen":2,"name":"content","path":"/contents/4"}]}"#,
      ReceivedFrame(
        .screens(
          [
            .init(
              number: 0, name: "contents", path: "/contents", dialog: .init(name: "ask", value: ["id": 4])),
            .init(number: 2, name: "content", path: "/contents/4"),
          ], after: 0))
    ),
    (#"{"screens":[],"after":2}"#, ReceivedFrame(.screens([], after: 2))),
    (
      #"{"resumed":{"session":"Jm3","token":"r8P","ack":7,"schema":"9f2c61d0","turns":2,"own":[[7,15],[8,16]]}}"#,
      ReceivedFrame(
        .resumed(
          .init(
            session: "Jm3", token: "r8P", acknowledged: 7,
            schema: "9f2c61d0", turns: 2,
            own: [.init(number: 7, revision: 15), .init(number: 8, revision: 16)])))
    ),
    (#"{"pong":3}"#, ReceivedFrame(.pong(3))),
    (#"{"personal":{"hand":["ace"]},"screen":2}"#, ReceivedFrame(.personal(["hand": ["ace"]]), screen: 2)),
    (
      #"{"personal":[{"op":"replace","path":"/hand/1","value":"ten"}]}"#,
      ReceivedFrame(.personalPatch([.replace(path: ["hand", "1"], value: "ten")]))
    ),
    (
      #"{"uploads":{"photo":{"to":"/x","bytes":9}},"screen":2}"#,
      ReceivedFrame(.uploads(["photo": ["to": "/x", "bytes": 9]]), screen: 2)
    ),
    (#"{"reload":"number.html"}"#, ReceivedFrame(.reload("number.html"))),
  ]

  @Test(arguments: valid)
  func `each kind is read, and written byte for byte`(json: String, frame: ReceivedFrame) throws {
    #expect(try ReceivedFrame(json: Array(json.utf8)) == frame)

    let written = [UInt8](writing: { write(frame, to: &$0) })

    #expect(String(decoding: WebSocketFrame.payload(ofUnmasked: written), as: UTF8.self) == json)
  }

  @Test func `frames follow each other without a gap`() throws {
    let text = Value.string(String(repeating: "x", count: 70_000))
    let long = ReceivedFrame(.turn(.init(sequence: 9, events: [.init(name: "long", value: text)])))
    let frames = Self.valid.map(\.1) + [long]
    var reader = MessageReader()
    reader.feed([UInt8](writing: { for frame in frames { write(frame, to: &$0) } }))

    for frame in frames {
      guard case .text(let json) = try reader.next() else {
        Issue.record("a frame is missing")
        return
      }
      #expect(try ReceivedFrame(json: json) == frame)
    }
    #expect(try reader.next() == nil)
  }

  @Test(arguments: valid)
  func `a frame cut at any byte is refused`(json: String, frame: ReceivedFrame) {
    let bytes = Array(json.utf8)
    for length in 0..<bytes.count {
      #expect(throws: WireError.self) { try ReceivedFrame(json: Array(bytes[..<length])) }
    }
  }

  @Test func `a frame of the future is no error`() throws {
    #expect(try ReceivedFrame(json: Array(#"{"later":{"a":1}}"#.utf8)).content == .unknown("later"))
  }

  @Test func `random bytes never trap`() throws {
    try forSeeds(10_000) { random in
      var json = Array(random.oneOf(Self.valid).0.utf8)
      for _ in 0...random.below(3) {
        json[random.below(json.count)] = UInt8(truncatingIfNeeded: random.next())
      }
      do throws(WireError) { _ = try ReceivedFrame(json: json) } catch {}
    }
  }

  private func write(_ frame: ReceivedFrame, to buffer: inout ByteBuffer) {
    switch frame.content {
    case .hello(let hello): buffer.hello(hello, screen: frame.screen)
    case .snapshot(let snapshot):
      let revisions = snapshot.revisions.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
      buffer.snapshot(
        epoch: snapshot.epoch, sequence: snapshot.sequence, revisions: revisions, screen: frame.screen
      ) {
        for member in snapshot.state.objectValue?.members ?? [] { $0.member(member.key, member.value) }
      }
    case .turn(let turn): write(turn, screen: frame.screen, to: &buffer)
    case .acknowledged(let number, let revision):
      buffer.acknowledge(number, revision: revision, screen: frame.screen)
    case .error(let code, let message, let input):
      buffer.error(ErrorCode(rawValue: code) ?? .internalFailure, message, input: input, screen: frame.screen)
    case .resumed(let resumed): buffer.resumed(resumed, screen: frame.screen)
    case .handedOver(let names, let number): buffer.handedOver(givenUp: names, acknowledged: number)
    case .personal(let values): buffer.personal(values, screen: frame.screen)
    case .personalPatch(let patch):
      let hand: Value = ["hand": .array((1...9).map { .string("card \($0)") })]
      var next = hand
      #expect(throws: Never.self) { try next.apply(patch) }
      buffer.personal(next, after: hand, screen: frame.screen)
    case .uploads(let controls): buffer.uploads(controls, screen: frame.screen)
    case .pong(let number): buffer.pong(number)
    case .reload(let value): buffer.reload(value)
    case .screens(let screens, let count): buffer.screens(screens, after: count)
    case .unknown: break
    }
  }

  private func write(_ turn: ReceivedFrame.Turn, screen: Int, to buffer: inout ByteBuffer) {
    var pieces = TurnPieces()
    for operation in turn.patch { pieces.add(operation) }
    for (text, change) in turn.edits.enumerated() { for step in change.steps { pieces.add(step, to: text) } }
    for event in turn.events { pieces.add(event.name, event.value) }
    pieces.write(to: &buffer, sequence: turn.sequence, screen: screen) { text, buffer in
      buffer.append(contentsOf: TurnPieces.beginningOfEdits(turn.edits[text].name))
      buffer.appendJSON(turn.edits[text].revision)
    }
  }
}
