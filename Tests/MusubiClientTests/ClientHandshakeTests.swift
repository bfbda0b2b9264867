// SPDX-License-Identifier: Apache-2.0
import MusubiWire
import Testing

@testable import MusubiClient

@Suite struct `The opening handshake` {
  private func handshake() throws -> ClientHandshake {
    ClientHandshake(
      server: try ServerAddress("http://localhost:80"), target: "/live/number", origin: nil,
      cookie: "visitor=ann", authorization: "Basic YQ==", subprotocol: "musubi.v1", random: { 0 })
  }

  @Test func `the cookie or a header tells who it is`() throws {
    let lines = String(decoding: try handshake().request, as: UTF8.self).split(separator: "\r\n")
    #expect(lines.contains("Cookie: visitor=ann"))
    #expect(lines.contains("Authorization: Basic YQ=="))
  }

  private var accept: String { ClientHandshake.acceptValue(for: "AAAAAAAAAAAAAAAAAAAAAA==") }

  @Test func `the key of RFC 6455, section 1-3, gives the value printed there`() {
    #expect(ClientHandshake.acceptValue(for: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  @Test func `the hash agrees with published values over one and two blocks`() {
    let two = Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)

    #expect(hex(SHA1.hash(Array("abc".utf8))) == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(hex(SHA1.hash(two)) == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test func `a confirmed upgrade is accepted whatever pieces it arrives in`() throws {
    let answer =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
      + "Sec-WebSocket-Accept: \(accept)\r\nSec-WebSocket-Protocol: musubi.v1\r\n\r\n"

    for cut in 0..<answer.utf8.count {
      var handshake = try handshake()
      let bytes = Array(answer.utf8)
      #expect(try handshake.receive(bytes[..<cut]) == .waiting)
      #expect(try handshake.receive(bytes[cut...] + [7]) == .accepted(rest: [7]))
    }
  }

  @Test func `a wrong key or subprotocol is an error`() throws {
    for fields in ["Sec-WebSocket-Accept: x", "Sec-WebSocket-Accept: \(accept)"] {
      var handshake = try handshake()
      let answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\(fields)\r\n\r\n"
      #expect(throws: ClientError.self) { try handshake.receive(Array(answer.utf8)) }
    }
  }

  @Test func `a refusal carries status and body`() throws {
    var handshake = try handshake()
    let answer = "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\n{  }"

    #expect(try handshake.receive(Array(answer.utf8)) == .refused(ClientRefusal(status: 404, body: "{  }")))
  }

  @Test(arguments: [
    ("http://localhost:8080", "localhost", 8080), ("ws://127.0.0.1:1/x?y", "127.0.0.1", 1),
    ("http://[::1]:9", "::1", 9), ("http://host", "host", 80),
  ])
  func `an address has a host and a port`(text: String, host: String, port: UInt16) throws {
    #expect(try ServerAddress(text) == ServerAddress(host: host, port: port))
  }

  @Test(arguments: ["https://x:1", "localhost:80", "http://", "http://x:99999", "http://x:y"])
  func `another form of address is refused`(text: String) {
    #expect(throws: ClientError.self) { try ServerAddress(text) }
  }
}

@Suite struct `A line with delay and cut` {
  private struct Tick: InstantProtocol {
    var time: Duration
    func advanced(by duration: Duration) -> Tick { Tick(time: time + duration) }
    func duration(to other: Tick) -> Duration { other.time - time }
    static func < (left: Tick, right: Tick) -> Bool { left.time < right.time }
  }

  private func tick(_ milliseconds: Int) -> Tick { Tick(time: .milliseconds(milliseconds)) }

  @Test func `bytes pass after the delay and never overtake`() {
    var line = ClientLine<Tick>()
    line.conditions.latency = .milliseconds(50)
    line.put([1, 2], now: tick(0))
    line.conditions.latency = .zero
    line.put([3], now: tick(10))

    #expect(line.take(now: tick(49)).bytes.isEmpty)
    #expect(line.nextDue == tick(50))
    #expect(line.take(now: tick(50)).bytes == [1, 2, 3])
  }

  @Test func `a cut lets exactly so many bytes through`() {
    var line = ClientLine<Tick>()
    line.bytesUntilCut = 3
    line.put([1, 2], now: tick(0))
    #expect(line.take(now: tick(0)) == ([1, 2], false))

    line.put([3, 4], now: tick(1))

    #expect(line.take(now: tick(1)) == ([3], true))
  }

  /// When each of a hundred messages arrives that are sent ten milliseconds apart.
  private func arrivals(_ conditions: LineConditions, seed: UInt64) -> [Duration] {
    var line = ClientLine<Tick>()
    line.conditions = conditions
    line.dice = SplitMix64(seed: seed)
    for number in 0..<100 { line.put([UInt8(number)], now: tick(10 * number)) }
    var times: [Duration] = []
    while let due = line.nextDue {
      let bytes = line.take(now: due).bytes
      #expect(bytes == Array(UInt8(times.count)..<UInt8(times.count + bytes.count)))
      times += bytes.map { _ in due.time }
    }
    return times
  }

  private func travels(_ arrivals: [Duration]) -> [Duration] {
    arrivals.enumerated().map { $1 - .milliseconds(10 * $0) }
  }

  @Test func `jitter lets each message take a time of its own, and no other order`() {
    let times = arrivals(LineConditions(latency: .milliseconds(20), jitter: .milliseconds(50)), seed: 1)

    #expect(times.count == 100 && times == times.sorted() && Set(travels(times)).count > 20)
    #expect(travels(times).allSatisfy { (.milliseconds(20) ... .milliseconds(70)).contains($0) })
  }

  @Test func `a lost message comes after another way there and back, and those behind it wait`() {
    let times = arrivals(LineConditions(latency: .milliseconds(20), loss: 5), seed: 1)
    let late = travels(times).filter { $0 > .milliseconds(20) }

    // 20 + 200 + 2 * 20; whoever is sent in those 240 milliseconds arrives with it.
    #expect(late.contains(.milliseconds(260)) && late.count >= 24 && late.count < 100)
    #expect(times.filter { $0 == times[times.count - 1] }.count < 100 && times == times.sorted())
  }

  @Test func `a seed decides what happens to which message`() {
    let conditions = LineConditions(latency: .milliseconds(20), jitter: .milliseconds(50), loss: 5)

    #expect(arrivals(conditions, seed: 1) == arrivals(conditions, seed: 1))
    #expect(arrivals(conditions, seed: 1) != arrivals(conditions, seed: 2))
  }
}
