// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The links of a node: each of its loops has one to each loop of each other node.
///
/// A link is a TCP connection that both ends trust because each has proven that it has the cluster's secret.
/// It carries frames of bytes in both directions, in order, and knows nothing of what they mean. The node
/// with the lower incarnation makes it, and makes it again with pauses while the other node is known. At most
/// one object of this class serves the loops of a server at a time.
///
/// May be used from every thread.
package final class NodeLinks: Sendable {
  /// Who is told what happens, on the thread of the loop that it happens to; that loop's index comes first.
  ///
  /// A link is opened, then it receives and flows or does not, and then it ends, also when the links stop.
  package struct Handlers: Sendable {
    /// A link to a loop of another node has opened; it flows.
    package var opened: @Sendable (_ loop: Int, _ peer: LinkPeer, _ otherLoop: Int) -> Void
    /// A frame has arrived; false if it was not understood, and then the link ends.
    package var received:
      @Sendable (_ loop: Int, _ peer: LinkPeer, _ otherLoop: Int, _ bytes: UnsafeRawBufferPointer) -> Bool
    /// More than 1 MiB waits to be sent, or again less than 256 KiB; the former is told from within `send`.
    package var flows: @Sendable (_ loop: Int, _ peer: LinkPeer, _ otherLoop: Int, _ isFlowing: Bool) -> Void
    /// The link has ended, and what was sent last may not have arrived; never told from within `send`.
    package var ended: @Sendable (_ loop: Int, _ peer: LinkPeer, _ otherLoop: Int) -> Void
    /// Nobody listens at a node's address, so that the node is probably dead; told at each attempt.
    package var refused: @Sendable (_ node: Int64) -> Void
    /// Another node says that this one is not among the nodes any more.
    package var buried: @Sendable () -> Void = {}

    package init(
      opened: @escaping @Sendable (_ loop: Int, _ peer: LinkPeer, _ otherLoop: Int) -> Void,
      received:
        @escaping @Sendable (
          _ loop: Int, _ peer: LinkPeer, _ otherLoop: Int, _ bytes: UnsafeRawBufferPointer
        ) -> Bool,
      flows: @escaping @Sendable (_ loop: Int, _ peer: LinkPeer, _ otherLoop: Int, _ isFlowing: Bool) -> Void,
      ended: @escaping @Sendable (_ loop: Int, _ peer: LinkPeer, _ otherLoop: Int) -> Void,
      refused: @escaping @Sendable (_ node: Int64) -> Void
    ) {
      self.opened = opened
      self.received = received
      self.flows = flows
      self.ended = ended
      self.refused = refused
    }
  }

  private let settings: LinkSettings
  private let state = Mutex(State())

  private struct State {
    var port: UInt16 = 0
    var hasStopped = false
  }

  /// Makes links that nobody can open yet.
  ///
  /// - Parameters:
  ///   - node: This node's incarnation.
  ///   - build: Which program it runs, for the other nodes' logs.
  ///   - secret: What all nodes have; nobody else gets a link.
  ///   - loops: The loops of a server, in the order of their indices.
  ///   - logger: Takes events.
  ///   - handlers: Who is told.
  package init(
    node: Int64, build: String, secret: [UInt8], loops: [EventLoop], logger: Logger, handlers: Handlers
  ) {
    precondition(!secret.isEmpty, "A cluster needs a secret.")
    settings = LinkSettings(
      node: node, build: build, secret: secret, loops: loops, logger: logger, handlers: handlers)
  }

  /// Where this node takes links; 0 before `start`.
  package var port: UInt16 { state.withLock { $0.port } }

  /// Listens, on one of the loops; the server may start before or afterwards.
  ///
  /// - Parameters:
  ///   - host: An address of this machine that only the other nodes reach.
  ///   - port: The port; 0 for any free one.
  /// - Throws: `ServerError` with one sentence for the operator.
  package func start(host: String, port: UInt16) throws(ServerError) {
    try ListenSocket.checkIsFree(host: host, port: port)
    var options = ServerConfiguration()
    options.sendBufferBytes = LinkSocket.sendBufferBytes
    // Loop 0 alone uses it from here on.
    nonisolated(unsafe) let listener = try ListenSocket(host: host, port: port, options)
    state.withLock { $0.port = listener.port }
    for loop in settings.loops {
      loop.command { [settings] core in
        core.links?.end()
        core.links = LoopLinks(settings, core)
        if loop.index == 0 { core.links?.listen(listener) }
      }
    }
  }

  /// Says which other nodes there are: links to new ones are made, and those to the others end.
  ///
  /// - Parameter peers: All of them; this node may be among them.
  package func update(_ peers: [LinkPeer]) {
    // Under the lock, so that all loops get the same list last; loop 0, which accepts for all, after all.
    state.withLock { state in
      guard !state.hasStopped else { return }
      for loop in settings.loops.reversed() { settings.command(loop) { $0?.update(peers) } }
    }
  }

  /// Sends a frame over a link, on the loop's thread; it is dropped if there is no such link.
  ///
  /// - Parameters:
  ///   - bytes: The frame, of at most 32 MiB.
  ///   - loop: This node's loop.
  ///   - node: The other node.
  ///   - otherLoop: Its loop.
  package func send(_ bytes: [UInt8], loop: Int, node: Int64, otherLoop: Int) {
    guard let links = settings.loops[loop].links, links.settings.node == settings.node else { return }
    links.send(bytes, LinkWay(node: node, loop: otherLoop))
  }

  /// Takes no links any more, and ends all that there are; each loop does so as soon as it can.
  package func stop() {
    state.withLock { $0.hasStopped = true }
    for loop in settings.loops {
      loop.command { [node = settings.node] core in
        guard core.links?.settings.node == node else { return }
        core.links?.end()
        core.links = nil
      }
    }
  }
}
