// SPDX-License-Identifier: Apache-2.0

import Seeds
import Testing

@testable import MusubiWire

@Suite struct `JSON` {
  @Test(
    arguments: [
      ("null", nil), ("true", true), ("[1,-2,0]", [1, -2, 0]), ("1.5e3", 1500),
      ("\"a\\u00e9\\ud83d\\ude00\\/\"", "aé😀/"),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("1e-7", 1e-7), ("0.1", 0.1),
      ("5e-324", .number(.leastNonzeroMagnitude)),
      ("123456789012345678901234567890", .number(1.2345678901234568e29)),
      (" { \"a\" : [ ] , \"b\" : { } } ", ["a": [], "b": [:]]),
      ("\"a string that is longer than fifteen bytes\\n\"", "a string that is longer than fifteen bytes\n"),
    ] as [(String, Value)])
  func `valid text is read`(json: String, value: Value) throws {
    #expect(try Value(json: json) == value)
  }

  @Test(arguments: [
    "", " ", "nul", "nulll", "tru", "[1,]", "[,1]", "[1 2]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}",
    "{\"a\":1,\"a\":2}",
    "{\"a\":1,\"\\u0061\":2}", "01", "-", "-01", "1.", ".5", "1e", "1e+", "+1", "1e999", "NaN", "0x1", "\"",
    "\"\\",
    "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\ud800x\"",
    "\"\u{1}\"", "\"\n\"", "1 2", "[]]", "\u{feff}1", "'a'",
  ])
  func `invalid text is refused`(json: String) {
    #expect(throws: WireError.self) { try Value(json: json) }
  }

  @Test(
    arguments: [
      [0x22, 0xff, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22],
      [0x22, 0xe2, 0x82, 0x22], [0x22, 0x80, 0x22], [0x22, 0xf0, 0x80, 0x80, 0x80, 0x22], [0x22, 0xc3],
    ] as [[UInt8]])
  func `ill-formed UTF-8 is refused`(json: [UInt8]) {
    #expect(throws: WireError.self) { try Value(json: json) }
  }

  @Test func `an error names the byte`() throws {
    let error = #expect(throws: WireError.self) { try Value(json: #"{"a":[1,2,"x\q"]}"#) }

    #expect(error?.offset == 12)
    #expect(error?.kind == .invalidEscape)
  }

  @Test func `deep nesting is refused and does not overflow the stack`() {
    let deep = String(repeating: "[", count: 100_000)

    let error = #expect(throws: WireError.self) { try Value(json: deep) }

    #expect(error?.kind == .tooDeep(limit: JSONReader.defaultMaximumDepth))
  }

  @Test func `many members are checked for duplicates`() throws {
    let members = (0..<5_000).map { "\"\($0)\":\($0)" }.joined(separator: ",")

    #expect(try Value(json: "{\(members)}")["4999"] == 4999)
    let error = #expect(throws: WireError.self) { try Value(json: "{\(members),\"77\":0}") }
    #expect(error?.kind == .duplicateMember("77"))
  }

  @Test func `a written value reads back as the same value`() throws {
    try forSeeds(5_000) { random in
      let value = random.value(depth: 4)
      let back = try Value(json: value.description)
      try hold(back == value, "\(value) became \(back)")
    }
  }

  @Test func `doubles keep every bit`() throws {
    try forSeeds(20_000) { random in
      let number = Double(bitPattern: random.next())
      guard number.isFinite else { return }
      let back = try Value(json: Value.number(number).description).doubleValue
      try hold(back == number, "\(number) became \(back ?? .nan)")
    }
  }

  @Test func `text is written with the escapes that JSON needs and no others`() {
    #expect(
      Value.string("\"\\/\u{1}\n\t\u{8}\u{c}\r\u{1f}é😀\u{2028}").description
        == #""\"\\/\u0001\n\t\b\f\r\u001fé😀"# + "\u{2028}\"")
    #expect(Value.number(.nan).description == "null")
    #expect(Value.number(3).description == "3")
    #expect(Value.number(1e21).description == "1e+21")
  }

  @Test func `numbers are equal by size and objects by members`() {
    #expect(Value.integer(1) == Value.number(1))
    #expect(Value.integer(1 << 53 + 1) != Value.number(0x1p53))
    #expect(["a": 1, "b": 2] as Value == ["b": 2, "a": 1])
    #expect(["a": 1] as Value != ["a": 1, "b": nil])
    #expect(Value.string("é") != Value.string("e\u{301}"))
  }

  @Test func `random bytes never trap`() throws {
    try forSeeds(20_000) { random in
      var json = Array(random.value(depth: 3).description.utf8)
      for _ in 0...random.below(3) where !json.isEmpty {
        json[random.below(json.count)] = UInt8(truncatingIfNeeded: random.next())
      }
      do throws(WireError) { _ = try Value(json: json) } catch {}
    }
  }
}
