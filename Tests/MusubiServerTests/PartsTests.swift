// SPDX-License-Identifier: Apache-2.0
import Glibc
import MusubiWire
import Synchronization
import Testing

@testable import MusubiServer

@Suite struct `Log lines` {
  @Test func `text quotes values that are not plain`() {
    let lines = LineCollector()
    let logger = Logger(level: .info, format: .text) { lines.add($0) }

    logger.log(.warning, "origin refused", ["origin": "http://a", "note": "two words", "empty": ""])
    logger.log(.debug, "unseen")

    #expect(lines.contains(#"Z warning origin refused origin=http://a note="two words" empty="""#))
    #expect(!lines.contains("unseen"))
  }

  @Test(arguments: ["\u{A0}", "\u{1680}", "\u{2003}", "\u{202F}", "\u{205F}", "\u{3000}"])
  func `text quotes values with any white space, which could seem the end of one`(_ space: String) {
    let lines = LineCollector()
    let logger = Logger(level: .info, format: .text) { lines.add($0) }

    logger.log(.info, "x", ["room": "a\(space)peer=1.2.3.4", "end": "."])

    #expect(lines.contains("x room=\"a\(space)peer=1.2.3.4\" end=."))
  }

  @Test func `text shows JSON as it is, on one line`() {
    let lines = LineCollector()
    let logger = Logger(level: .info, format: .text) { lines.add($0) }

    logger.log(.info, "turn", ["changes": #"{"label":"4 2"}"#, "value": "\"a`b\"", "end": "\"\n"])

    #expect(lines.contains(#"Z info turn changes=`{"label":"4 2"}` value="\"a`b\"" end="\"\n""#))
  }

  @Test func `JSON escapes what would end the line or the string`() {
    let lines = LineCollector()
    let logger = Logger(level: .debug, format: .json) { lines.add($0) }

    logger.log(.debug, "x", ["a": "\"\\\n\u{1}é"])

    #expect(lines.contains(#""level":"debug","event":"x","a":"\"\\\n\u0001é"}"#))
  }

  @Test(arguments: [Logger.Format.text, .json])
  func `show no character that moves others about or ends a line`(_ format: Logger.Format) {
    let invisible: [Unicode.Scalar] = [
      "\u{0}", "\u{1B}", "\u{7F}", "\u{80}", "\u{9B}", "\u{9F}", "\u{061C}", "\u{200E}", "\u{200F}",
      "\u{2028}",
      "\u{2029}", "\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}",
    ]
    for scalar in invisible {
      let lines = LineCollector()
      let logger = Logger(level: .info, format: format) { lines.add($0) }

      logger.log(.info, "x", ["a": "b\(scalar)c", "q": "\"\(scalar)"])

      let digits = String(scalar.value, radix: 16)
      let escaped = "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      #expect(lines.contains("b\(escaped)c"))
      #expect(lines.contains("\"\\\"\(escaped)\""))
      #expect(!lines.contains(String(scalar)))
    }
  }

  @Test func `cut values at 200 bytes, between characters`() {
    for (value, shown) in [
      (String(repeating: "a", count: 200), String(repeating: "a", count: 200)),
      (String(repeating: "a", count: 201), String(repeating: "a", count: 197) + "…"),
      (String(repeating: "結", count: 100), String(repeating: "結", count: 65) + "…"),
      (String(repeating: "🎏", count: 51), String(repeating: "🎏", count: 49) + "…"),
    ] {
      let lines = LineCollector()
      let logger = Logger(level: .info, format: .text) { lines.add($0) }

      logger.log(.info, "x", ["a": value, "end": "."])

      #expect(lines.contains("x a=\(shown) end=."))
    }
  }
}

@Suite struct `The search for silent peers` {
  @Test(arguments: [(2, 3), (7, 10), (20, 30), (21, 31), (57_600, 86_400)])
  func `gives up none later than it says, and asks before`(pingAfter: Int, hangUpAfter: Int) {
    var configuration = ServerConfiguration()
    configuration.pingAfter = .seconds(pingAfter)
    configuration.hangUpAfter = .seconds(hangUpAfter)

    let idleTimeout = IdleTimeout(configuration)

    // A peer falls silent right after a round, or right before one.
    let latest = idleTimeout.interval * Int(idleTimeout.hangUpRounds)
    #expect(latest <= configuration.hangUpAfter)
    let earliest = idleTimeout.interval * (Int(idleTimeout.hangUpRounds) - 1)
    #expect(earliest > configuration.hangUpAfter * 5 / 6)
    let asked = idleTimeout.interval * Int(idleTimeout.pingRounds)
    #expect(asked <= configuration.pingAfter && asked < earliest)
  }

  @Test func `gives a peer up within 30 seconds if nothing else is set`() {
    let idleTimeout = IdleTimeout(ServerConfiguration())

    #expect(idleTimeout.interval * Int(idleTimeout.hangUpRounds) <= .seconds(30))
  }
}

@Suite struct `UTF-8 check` {
  @Test func `it agrees with the standard library on random bytes`() {
    let seed = UInt64.random(in: .min ... .max)
    print("UTF-8 check: seed \(seed)")
    var random = SeededGenerator(state: seed)

    for _ in 0..<20_000 {
      let pool: [UInt8] = [
        0x61, 0x7F, 0x80, 0xBF, 0xC2, 0xDF, 0xE0, 0xA0, 0xED, 0x9F, 0xEF, 0xF0, 0x90, 0xF4, 0x8F, 0xF5,
      ]
      let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in pool[Int(random.next() % 16)] }

      let expected = String(validating: bytes, as: UTF8.self) != nil

      #expect(bytes.withUnsafeBytes { UTF8Check.isValid($0) } == expected, "\(bytes)")
    }
  }
}

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Signals` {
  @Test func `a signal calls the closure, and does nothing else`() async throws {
    let (arrivals, continuation) = AsyncStream.makeStream(of: Int32.self)
    let watcher = try SignalWatcher([SIGUSR1, SIGUSR2]) { continuation.yield($0) }

    kill(getpid(), SIGUSR1)
    kill(getpid(), SIGUSR2)
    var seen: Set<Int32> = []
    for await number in arrivals where seen.insert(number).inserted && seen.count == 2 { break }

    #expect(seen == [SIGUSR1, SIGUSR2])
    withExtendedLifetime(watcher) {}
  }

  @Test func `two watchers at once are refused`() throws {
    let watcher = try SignalWatcher([SIGUSR1]) { _ in }

    #expect(throws: ServerError.self) { try SignalWatcher([SIGUSR1]) { _ in } }
    withExtendedLifetime(watcher) {}
  }
}

@Suite(.serialized) struct `The limit of open files` {
  @Test func `is what the connections need while the library makes its tables, and then as before`() throws {
    let before = ProcessLimits.openFiles

    let meanwhile = try ProcessLimits.limitingOpenFiles(for: 100) { () throws(ServerError) in
      ProcessLimits.openFiles
    }

    #expect(meanwhile == min(before, 8_292))
    #expect(ProcessLimits.openFiles == before)
  }
}

@Suite struct `Limits shared by the loops` {
  @Test func `connections stay below what the system lets the process open`() {
    let limits = SharedLimits(ServerConfiguration(), openFiles: 4_096)

    #expect(limits.maxConnections == 4_096 - 256 - 1_024)
  }
}

/// SplitMix64, so that a failing run can be repeated.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
