// SPDX-License-Identifier: Apache-2.0
import MusubiCluster
import MusubiServer
import Synchronization
import Testing

@Suite struct `A node without links` {
  private let lines = Lines()

  @Test func `is told of after five seconds, until a link is there again`() {
    var isolation = Isolation()
    let seen = [(1, 4, 0), (2, 0, 1), (2, 0, 5), (2, 0, 6), (1, 0, 7), (1, 1, 8), (1, 0, 9)].map { nodes in
      isolation.note(others: nodes.0, links: nodes.1, at: .seconds(nodes.2), lines.logger)
      return isolation.isTooLong
    }

    #expect(seen == [false, false, false, true, true, false, false])
    #expect(lines.all.map { $0.contains("no links") } == [true, false])
    #expect(lines.all.last?.contains("links are back") == true)
  }

  @Test func `ends without a word when the others go`() {
    var isolation = Isolation()
    for (second, others) in [1, 1, 0].enumerated() {
      isolation.note(others: others, links: 0, at: .seconds(second * 6), lines.logger)
    }

    #expect(!isolation.isTooLong && lines.all.map { $0.contains("no links") } == [true])
  }

  @Test func `is not told of if it is alone`() {
    var isolation = Isolation()
    for second in 0..<20 { isolation.note(others: 0, links: 0, at: .seconds(second), lines.logger) }

    #expect(!isolation.isTooLong && lines.all.isEmpty)
  }

  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock(\.self) }
    var logger: Logger { Logger(sink: { [self] line in lines.withLock { $0.append(line) } }) }
  }
}
