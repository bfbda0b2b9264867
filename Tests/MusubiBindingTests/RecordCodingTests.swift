// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiWire
import Testing

@testable import MusubiBinding

@Suite struct `A value in a record` {
  @Test(arguments: [Double.infinity, -.infinity, .nan, 0.1, -0.0, 1e300])
  func `is the same number when it is read as JSON`(_ number: Double) throws {
    let text = try ValueEncoder.encodeRecord([number]).description

    let doubles = try [Double](recorded: Value(json: text))
    let floats = try [Float](recorded: Value(json: text))

    #expect(doubles[0] == number || (doubles[0].isNaN && number.isNaN))
    #expect(floats[0] == Float(number) || (floats[0].isNaN && number.isNaN))
  }

  @Test func `may be any integer`() throws {
    let text = try ValueEncoder.encodeRecord([UInt64.max, 7]).description

    #expect(try [UInt64](recorded: Value(json: text)) == [.max, 7])
    #expect(throws: DecodingError.self) { try [Int](recorded: Value(json: text)) }
    #expect(try [Value](recorded: Value(json: text)).count == 2, "A value of any kind stays what it is.")
  }

  @Test func `stays what it is where the author's state is a value of any kind`() throws {
    let value = try ValueEncoder.encodeRecord(["a": Double.nan])

    #expect(try Value(recorded: value) == value)
    #expect(try Value(recorded: ["7", "nan", nil]) == ["7", "nan", nil])
  }

  private struct Event: Codable, Equatable {
    var date: Date
    var dates: [Date] = []
    var optional: Date?
  }

  @Test(arguments: [0, 0.25, 813_456_000.123_456, -333_333_333.333_25, 1e-300, 1e300, .infinity])
  func `is the same point in time, to its fraction of a second`(_ seconds: Double) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    let event = Event(date: date, dates: [date, date], optional: date)
    let text = try ValueEncoder.encodeRecord(event).description

    #expect(try Event(recorded: Value(json: text)) == event)
    #expect(try Date(recorded: Value(json: ValueEncoder.encodeRecord(date).description)) == date)
    #expect(try [Date?](recorded: ValueEncoder.encodeRecord([date, nil])) == [date, nil])
  }

  @Test func `is a point in time that an earlier program has written, too`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 0)

    #expect(try Event(recorded: ["date": "2001-01-01T00:00:00Z", "dates": []]) == Event(date: date))
    #expect(try ValueEncoder.encodeRecord(date) == "2001-01-01T00:00:00Z")
    let later = date + 0.5
    #expect(try ValueEncoder.encode(later) == "2001-01-01T00:00:00Z", "Pages are told as before.")
    #expect(throws: DecodingError.self) {
      try ValueDecoder.decode(Date.self, as: Date.self, from: ValueEncoder.encodeRecord(later))
    }
  }

  @Test func `is no number if a page has sent it`() throws {
    let sent = try ValueEncoder.encodeRecord(Double.infinity)

    #expect(throws: DecodingError.self) {
      try ValueDecoder.decode(Double.self, as: Double.self, from: sent)
    }
    #expect(throws: DecodingError.self) {
      try ValueDecoder.decode([UInt64].self, as: [UInt64].self, from: [sent])
    }
  }

  @Test func `is told to pages as before`() throws {
    #expect(try ValueEncoder.encode([Double.infinity]).description == "[null]")
    #expect(throws: (any Error).self) { try ValueEncoder.encode([UInt64.max]) }
  }
}

@Suite struct `A date that a page sends` {
  @Test(arguments: [
    ("2026-11-21", 0), ("2026-11-21T10:30", 37_800), ("2026-11-21T10:30:15", 37_815),
    ("2026-11-21T10:30:15.5", 37_815.5), ("2026-11-21T10:30:00Z", 37_800),
    ("2026-11-21T10:30:00+01:00", 34_200),
  ])
  func `is a day, or a time of it`(text: String, seconds: Double) throws {
    let date = try ValueDecoder.decode(Date.self, as: Date.self, from: .string(text))

    #expect(date.timeIntervalSince1970 == 1_795_219_200 + seconds)
  }

  @Test(arguments: ["", "2026-11-21T", "2026-11-21T10", "tomorrow", "2026-11-21 or so"])
  func `is no other text`(text: String) {
    #expect(throws: DecodingError.self) {
      try ValueDecoder.decode(Date.self, as: Date.self, from: .string(text))
    }
  }
}
