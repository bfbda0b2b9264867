// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import Synchronization

/// Counts what all loops together may hold; used from all of their threads.
final class SharedLimits: Sendable {
  /// Most WebSockets at a time.
  let maxConnections: Int
  private let maxSockets: Int
  private let connections = Atomic<Int>(0)
  private let acceptingLoops = Atomic<Int>(0)
  private let sockets = Atomic<Int>(0)
  /// What each peer has.
  let ledger: PeerLedger
  /// Whether the log has told of a proxy that is not trusted.
  let hasToldOfProxy = Atomic<Bool>(false)
  /// The addresses whose messages are counted, and how many connections each has.
  let addresses = Mutex<[Peer: (bucket: AddressBucket, connections: Int)]>([:])

  /// Room for plain requests beside full WebSockets, so that the pages still load.
  private static let spareSockets = 1_024
  /// Descriptors for everything that is no visitor's socket.
  private static let spareFiles = 256

  /// Takes the limits from the configuration, and from what the system lets the process open.
  init(_ configuration: ServerConfiguration, openFiles: Int, ledger: PeerLedger = PeerLedger()) {
    self.ledger = ledger
    maxSockets = max(64, min(configuration.maxConnections + Self.spareSockets, openFiles - Self.spareFiles))
    maxConnections = min(configuration.maxConnections, max(32, maxSockets - Self.spareSockets))
  }

  /// Whether there is room for no more WebSockets.
  var isFull: Bool { connections.load(ordering: .relaxed) >= maxConnections }

  /// A loop will accept connections.
  func loopAccepts() { acceptingLoops.add(1, ordering: .relaxed) }

  /// A loop accepts no more.
  func loopStops() { acceptingLoops.subtract(1, ordering: .sequentiallyConsistent) }

  /// Whether no loop accepts connections any more.
  var acceptsNobody: Bool { acceptingLoops.load(ordering: .sequentiallyConsistent) <= 0 }

  /// Whether no loop accepts any more, and nobody is left on any: pages of one may be served by another.
  var isDeserted: Bool {
    acceptsNobody
      && sockets.load(ordering: .sequentiallyConsistent) == 0
  }

  /// Takes a place for a WebSocket, if there is one.
  func admitConnection() -> Bool {
    guard connections.wrappingAdd(1, ordering: .relaxed).newValue > maxConnections else { return true }
    releaseConnection()
    return false
  }

  /// Gives a WebSocket's place back.
  func releaseConnection() { connections.wrappingSubtract(1, ordering: .relaxed) }

  /// Takes a place for a socket.
  ///
  /// - Returns: Whether there was one.
  func admitSocket() -> Bool {
    guard sockets.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue > maxSockets else { return true }
    releaseSocket()
    return false
  }

  /// Gives a socket's place back.
  func releaseSocket() { sockets.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
}
