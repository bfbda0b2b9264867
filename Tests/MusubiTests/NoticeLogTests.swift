// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import Synchronization
import Testing

@testable import Musubi
@testable import MusubiSession

@Suite struct `The log of what visitors bring about` {
  /// What the log says of notices that come so many milliseconds apart.
  private func lines(every pause: Int = 1, _ notices: [Notice]) -> [String] {
    let written = Lines()
    var now: Duration = .zero
    let log = NoticeLog(
      logger: Logger { written.add($0) }, logsTraffic: false, refusals: Refusals(), clock: { now })
    for notice in notices {
      log.observer(notice)
      now += .milliseconds(pause)
    }
    // Without the time.
    return written.all.map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
  }

  private func failure(of peer: String) -> Notice {
    .failed(
      Notice.Failed(
        screen: "tea", message: "spilt", room: "kitchen", session: "sessionname", peer: .address(peer)))
  }

  @Test func `names session and peer of a screen that has failed`() {
    #expect(
      lines([failure(of: "192.0.2.1")]) == [
        "error screen failed screen=tea room=kitchen session=sessio peer=a:192.0.2.1 message=spilt count=1"
      ])
  }

  @Test func `leaves out what nobody knows`() {
    #expect(
      lines([.failed(Notice.Failed(screen: "tea", message: "spilt"))])
        == ["error screen failed screen=tea message=spilt count=1"])
  }

  @Test func `tells of each peer once a second`() {
    let flood = (0..<300).map { failure(of: "192.0.2.\($0 % 2)") }

    let found = lines(every: 10, flood)

    #expect(found.count == 6)
    #expect(found.count { $0.hasSuffix("count=1") } == 2)
    #expect(found.count { $0.hasSuffix("count=50") } == 4)
    for notice: Notice in [
      .authorizationFailed(screen: "tea", peer: .address("192.0.2.1"), message: "no"),
      .shed(count: 1, bytes: 2),
      .refused(Notice.Refused(reason: "full", message: "no", session: "s")),
    ] {
      #expect(lines(every: 10, Array(repeating: notice, count: 300)).count == 3)
    }
  }

  @Test func `counts refusals, and nothing else, as refused`() {
    let refusals = Refusals()
    let log = NoticeLog(logger: Logger { _ in }, logsTraffic: false, refusals: refusals, clock: { .zero })

    log.observer(failure(of: "192.0.2.1"))
    log.observer(.refused(Notice.Refused(reason: "full", message: "no", peer: .address("192.0.2.2"))))
    log.observer(.refused(Notice.Refused(reason: "full", message: "no", peer: .address("192.0.2.2"))))

    #expect(refusals.counts == ["full": 2])
    #expect(refusals.newest.map(\.peer) == ["a:192.0.2.2"])
  }

  @Test func `tells of a flood's last second when it is over`() {
    let (written, refusals) = (Lines(), Refusals())
    for peer in ["a:192.0.2.1", "a:192.0.2.2"] {
      for _ in 0..<5 { _ = refusals.count("full", of: peer, at: .zero) }
    }
    let log = UntoldLog(logger: Logger { written.add($0) }, refusals: refusals)

    log.tell(at: .milliseconds(500))
    #expect(written.all.isEmpty)
    log.tell(at: .seconds(1))
    log.tell(at: .seconds(2))

    #expect(
      written.all.map { $0.split(separator: " ").dropFirst().joined(separator: " ") } == [
        "info repeated reason=full peer=a:192.0.2.1 count=4",
        "info repeated reason=full peer=a:192.0.2.2 count=4",
      ])
  }
}

final class Lines: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }
}
