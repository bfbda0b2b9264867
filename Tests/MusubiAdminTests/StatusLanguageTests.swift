// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import MusubiAdmin

@Suite struct `The status screen's language` {
  @Test(arguments: [
    ([], "en"), (["ja"], "ja"), (["ja-jp", "en"], "ja"), (["fr", "ja"], "ja"), (["en-gb", "ja"], "en"),
    (["fr"], "en"),
  ])
  func `speaks the first of the visitor's languages that it knows`(preferred: [String], tag: String) {
    #expect(StatusLanguage(preferred: preferred).tag == tag)
  }
}

@Suite struct `The status screen's numbers` {
  private let english = StatusLanguage.english

  @Test(arguments: [
    (0, "0"), (7, "7"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-1_234, "-1,234"),
  ])
  func `have a comma before each three digits`(number: Int, text: String) {
    #expect(english.count(number) == text)
  }

  @Test(arguments: [
    (0, "0"), (0.04, "0"), (0.06, "0.1"), (9.94, "9.9"), (9.96, "10"), (12.5, "13"), (1_234.4, "1,234"),
    (-0.25, "-0.3"), (.infinity, "–"), (1e300, "–"),
  ])
  func `have a digit behind the point below ten`(number: Double, text: String) {
    #expect(english.number(number) == text)
  }

  @Test(arguments: [
    (0, "0 B"), (1_023, "1,023 B"), (1_024, "1.0 KiB"), (1_047_552, "1,023 KiB"), (1_048_575, "1.0 MiB"),
    (500 << 20, "500 MiB"), (3 << 30, "3.0 GiB"), (5_000 << 40, "5,000 TiB"),
  ])
  func `have units of bytes`(bytes: Int, text: String) { #expect(english.bytes(bytes) == text) }

  @Test(arguments: [
    (0, "0 ms"), (0.000_000_4, "0.4 µs"), (0.000_25, "250 µs"), (0.000_999_7, "1.0 ms"), (0.0042, "4.2 ms"),
    (0.25, "250 ms"), (0.9997, "1.0 s"), (75, "75 s"),
  ])
  func `have units of time`(seconds: Double, text: String) { #expect(english.duration(seconds) == text) }

  @Test(arguments: [
    (0, "0 s", "0秒"), (59.9, "59 s", "59秒"), (60, "1 min", "1分"), (7_260, "2 h 1 min", "2時間1分"),
    (90_000, "1 d 1 h", "1日1時間"), (-5, "0 s", "0秒"),
  ])
  func `have spans in words`(seconds: Double, text: String, japanese: String) {
    #expect(english.span(seconds) == text)
    #expect(StatusLanguage.japanese.span(seconds) == japanese)
  }
}
