// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

@testable import MusubiServer

/// A node of a test: the loops of a server, with links of its own.
struct LinkNode {
  static let secret = Array("a secret of the test's nodes".utf8)

  let number: Int64
  let live: LiveServer
  let links: NodeLinks
  let record = LinkRecord()

  /// What another node knows of this one.
  func peer(number: Int = 0, host: String = "127.0.0.1") -> LinkPeer {
    LinkPeer(node: self.number, address: "\(host):\(links.port)", loops: loops.count, number: number)
  }

  var loops: [EventLoop] { live.server.loops }

  init(_ number: Int64, on live: LiveServer, port: UInt16 = 0, secret: [UInt8] = Self.secret) throws {
    self.number = number
    self.live = live
    links = NodeLinks(
      node: number, build: "build of \(number)", secret: secret, loops: live.server.loops,
      logger: Logger(level: .debug) { [log = live.log] in log.add($0) }, handlers: record.handlers)
    try links.start(host: "127.0.0.1", port: port)
  }

  /// Sends frames from a loop's thread, in one go.
  func send(_ frames: [[UInt8]], from loop: Int = 0, to node: Int64, _ otherLoop: Int = 0) {
    loops[loop].enqueue { [links, record] in
      record.setSending(true)
      for frame in frames { links.send(frame, loop: loop, node: node, otherLoop: otherLoop) }
      record.setSending(false)
    }
  }

  /// Holds a loop's thread until the task is told to go on.
  func hold(loop: Int = 0) -> Hold {
    let hold = Hold()
    loops[loop].enqueue { hold.wait() }
    return hold
  }

  /// Runs a test with two nodes; they know of each other if `areAcquainted`.
  static func withTwo(
    _ one: Int64 = 1, _ other: Int64 = 2, loops: Int = 1, secrets: [[UInt8]] = [secret, secret],
    areAcquainted: Bool = true, _ body: (LinkNode, LinkNode) async throws -> Void
  ) async throws {
    try await LiveServer.with({ $0.loops = loops }) { first in
      try await LiveServer.with({ $0.loops = loops }) { second in
        let nodes = try (
          LinkNode(one, on: first, secret: secrets[0]), LinkNode(other, on: second, secret: secrets[1])
        )
        if areAcquainted {
          nodes.0.links.update([nodes.1.peer(number: 7)])
          nodes.1.links.update([nodes.0.peer(number: 3)])
        }
        try await body(nodes.0, nodes.1)
      }
    }
  }
}

/// Keeps a loop's thread busy.
final class Hold: Sendable {
  private let isOver = Atomic(false)

  func wait() { while !isOver.load(ordering: .relaxed) { usleep(500) } }

  func end() { isOver.store(true, ordering: .relaxed) }
}

/// What the handlers of a node were told, on all of its loops.
final class LinkRecord: Sendable {
  /// A loop of this node, and one of another.
  struct Link: Hashable, CustomStringConvertible {
    let loop: Int
    let node: Int64
    let otherLoop: Int

    var description: String { "\(loop)-\(node).\(otherLoop)" }
  }

  private struct State {
    var events: [String] = []
    var frames: [Link: [[UInt8]]] = [:]
    var open: Set<Link> = []
    var peers: [LinkPeer] = []
    var refused: [Int64] = []
    var isSending = false
    var refusal: [UInt8]?
  }

  private let state = Mutex(State())

  /// Opened, full, flowing and ended, in order.
  var events: [String] { state.withLock { $0.events } }
  var refused: [Int64] { state.withLock { $0.refused } }
  var open: Set<Link> { state.withLock { $0.open } }
  /// Those to which links were opened.
  var peers: [LinkPeer] { state.withLock { $0.peers } }

  func frames(loop: Int = 0, _ node: Int64, _ otherLoop: Int = 0) -> [[UInt8]] {
    state.withLock { $0.frames[Link(loop: loop, node: node, otherLoop: otherLoop)] ?? [] }
  }

  /// Has a frame not be understood.
  func refuse(_ frame: [UInt8]) { state.withLock { $0.refusal = frame } }

  func setSending(_ isSending: Bool) { state.withLock { $0.isSending = isSending } }

  var handlers: NodeLinks.Handlers {
    var handlers = NodeLinks.Handlers(
      opened: { [self] loop, peer, otherLoop in
        note("opened", Link(loop: loop, node: peer.node, otherLoop: otherLoop)) { state, link in
          state.open.insert(link)
          state.peers.append(peer)
        }
      },
      received: { [self] loop, peer, otherLoop, bytes in
        state.withLock { state in
          let link = Link(loop: loop, node: peer.node, otherLoop: otherLoop)
          state.frames[link, default: []].append(Array(bytes))
          return state.refusal != Array(bytes)
        }
      },
      flows: { [self] loop, peer, otherLoop, isFlowing in
        note(isFlowing ? "flowing" : "full", Link(loop: loop, node: peer.node, otherLoop: otherLoop))
      },
      ended: { [self] loop, peer, otherLoop in
        note("ended", Link(loop: loop, node: peer.node, otherLoop: otherLoop)) { state, link in
          state.open.remove(link)
          if state.isSending { state.events.append("ended within send") }
        }
      },
      refused: { [self] node in state.withLock { $0.refused.append(node) } })
    handlers.buried = { [self] in state.withLock { $0.events.append("buried") } }
    return handlers
  }

  private func note(_ event: String, _ link: Link, _ change: (inout State, Link) -> Void = { _, _ in }) {
    state.withLock { state in
      state.events.append("\(event) \(link)")
      change(&state, link)
    }
  }
}

/// Waits until something is so; the test's time limit ends it.
func until(_ condition: () throws -> Bool) async throws {
  while try !condition() { try await Task.sleep(for: .milliseconds(2)) }
}
