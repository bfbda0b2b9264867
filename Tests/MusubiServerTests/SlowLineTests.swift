// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiWire
import Testing

@testable import MusubiServer

/// Lines that are slow because a page's address says so.
@Suite struct `A slow line` {
  /// Sends back what it gets, as a frame of text.
  private final class Echo: ConnectionService, ConnectionHandler {
    var requests: [ConnectionRequest] = []
    var isClosed = false
    private(set) var got: [String] = []
    private var waiting: [[UInt8]] = []
    private weak var connection: (any ConnectionHandle)?
    let nextDeadline: Duration? = nil

    func admit(_ request: ConnectionRequest, then decide: @escaping (Admission) -> Void) {
      decide(.accepted(request))
    }

    func connect(
      _ request: ConnectionRequest, _ connection: any ConnectionHandle
    ) -> any ConnectionHandler {
      requests.append(request)
      self.connection = connection
      return self
    }

    func advance(to now: Duration) {}

    func receive(_ message: UnsafeRawBufferPointer, isText: Bool) {
      got.append(String(decoding: message, as: UTF8.self))
      waiting.append(Array(message))
      connection?.wake()
    }

    func end(_ end: ConnectionEnd) { connection?.close(end) }

    func write(into bytes: inout ByteBuffer, limit: Int) -> Bool {
      guard !waiting.isEmpty else { return false }
      bytes.append(contentsOf: waiting.removeFirst())
      return !waiting.isEmpty
    }

    func closed(saidFarewell: Bool) { isClosed = true }
  }

  /// A connection with a clock.
  private final class Page: ConnectionHandle {
    let echo = Echo()
    var now = Duration.zero
    var random: [Int] = []
    private(set) var lines: SlowLines?
    private(set) var handler: (any ConnectionHandler)?
    private(set) var got = ""
    private(set) var ended: ConnectionEnd?
    private var isAwake = false
    /// Whether the kernel takes more.
    var isReading = true

    init(_ query: [String: String]) {
      let lines = SlowLines(
        echo, now: { [unowned self] in now },
        random: { [unowned self] limit in
          random.isEmpty ? limit - 1 : min(random.removeFirst(), limit - 1)
        })
      self.lines = lines
      handler = lines.connect(ConnectionRequest(screen: "note", query: query), self)
    }

    func wake() { isAwake = true }
    func close(_ end: ConnectionEnd) { (ended, isAwake) = (end, true) }
    func setReading(_ isReading: Bool) {}

    func send(_ text: String) {
      Array(text.utf8).withUnsafeBytes { handler?.receive($0, isText: true) }
      fetch()
    }

    /// Lets the time pass that the lines have planned, to a moment.
    func advance(to end: Duration) {
      while let next = lines?.nextDeadline, next <= end {
        now = next
        lines?.advance(to: now)
        fetch()
      }
      now = end
    }

    func leave() {
      handler?.closed(saidFarewell: false)
      handler = nil
    }

    func fetch() {
      guard isAwake, isReading else { return }
      isAwake = false
      var bytes = ByteBuffer()
      if handler?.write(into: &bytes, limit: 1) == true { isAwake = true }
      got += String(decoding: Array(bytes), as: UTF8.self)
      fetch()
    }
  }

  @Test func `delays what goes in both directions, and says nothing of itself to the screen`() {
    let page = Page(["musubi-latency": "300", "word": "tea"])
    #expect(page.echo.requests.map(\.query) == [["word": "tea"]])
    page.send("a")
    page.advance(to: .milliseconds(100))
    page.send("b")
    page.advance(to: .milliseconds(599))
    #expect(page.got == "")
    page.advance(to: .milliseconds(600))
    #expect(page.got == "a")
    page.advance(to: .milliseconds(700))
    #expect(page.got == "ab" && page.lines?.nextDeadline == nil)
  }

  @Test func `keeps the order, however much longer a message takes, or is sent again`() {
    let page = Page(["musubi-latency": "10", "musubi-jitter": "100", "musubi-loss": "5"])
    // Of the first message: jitter, lost, not lost; of the second: neither.
    page.random = [100_000, 4, 5, 0, 99]
    page.send("a")
    page.send("b")
    page.random = [0, 99, 0, 99]
    // 10 + 100 + 200 + 2 * 10, and 10 back.
    page.advance(to: .milliseconds(339))
    #expect(page.got == "")
    page.advance(to: .milliseconds(340))
    #expect(page.got == "ab")
  }

  @Test func `gives what is on its way to who is sent away, and takes it from who has left`() {
    let page = Page(["musubi-latency": "2000"])
    page.send("a")
    page.advance(to: .seconds(2))
    #expect(page.got == "")
    page.echo.end(ConnectionEnd(.goingAway, "enough"))
    page.fetch()
    #expect(page.got == "a" && page.ended?.reason == "enough")

    page.send("b")
    page.leave()
    #expect(page.echo.isClosed && page.echo.got == ["a", "b"] && page.lines?.nextDeadline == nil)
  }

  @Test func `waits for a page that does not read, and wakes nobody for it`() {
    let page = Page(["musubi-latency": "100"])
    page.send("a")
    page.advance(to: .milliseconds(150))
    page.isReading = false
    page.advance(to: .seconds(1))
    #expect(page.got == "" && page.lines?.nextDeadline == nil)

    page.isReading = true
    page.fetch()
    #expect(page.got == "a")
  }

  @Test(arguments: [
    (["musubi-latency": "2001"], "musubi-latency is a whole number from 0 to 2000."),
    (["musubi-jitter": "-1"], "musubi-jitter is a whole number from 0 to 2000."),
    (["musubi-loss": "91"], "musubi-loss is a whole number from 0 to 90."),
    (["musubi-loss": "a few"], "musubi-loss is a whole number from 0 to 90."),
  ])
  func `is refused if it cannot be`(query: [String: String], message: String) {
    var answer: Admission?
    SlowLines(Echo(), now: { .zero }).admit(ConnectionRequest(screen: "note", query: query)) { answer = $0 }
    #expect(answer == .refused(status: 400, code: "bad-request", message: message))
  }

  @Test func `is none where the address says nothing of it`() {
    let page = Page(["latency": "300"])
    page.send("a")
    #expect(
      page.got == "a" && page.handler === page.echo && page.echo.requests[0].query == ["latency": "300"])
  }

  @Test func `is written as it is read`() throws {
    var line = LineConditions()
    (line.latency, line.jitter, line.loss) = (.milliseconds(300), .milliseconds(50), 5)
    #expect(line.query == "musubi-latency=300&musubi-jitter=50&musubi-loss=5")
    #expect(try LineConditions(["musubi-latency": "300", "musubi-jitter": "50", "musubi-loss": "5"]) == line)
    #expect(try LineConditions(["latency": "300"]) == nil)
  }
}
