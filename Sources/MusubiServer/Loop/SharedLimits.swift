// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Counts what all loops together may hold; used from all of their threads.
final class SharedLimits: Sendable {
  /// Most WebSockets at a time.
  let maxConnections: Int
  private let maxSockets: Int
  private let maxSocketsPerAddress: Int?
  private let connections = Atomic<Int>(0)
  private let acceptingLoops = Atomic<Int>(0)
  private let sockets = Mutex(Sockets())
  /// The addresses whose messages are counted, and how many connections each has.
  let addresses = Mutex<[String: (bucket: AddressBucket, connections: Int)]>([:])

  private struct Sockets {
    var total = 0
    var byAddress: [String: Int] = [:]
  }

  /// Room for plain requests beside full WebSockets, so that the pages still load.
  private static let spareSockets = 1_024
  /// Descriptors for everything that is no visitor's socket.
  private static let spareFiles = 256

  /// Takes the limits from the configuration, and from what the system lets the process open.
  init(_ configuration: ServerConfiguration, openFiles: Int) {
    maxSockets = max(64, min(configuration.maxConnections + Self.spareSockets, openFiles - Self.spareFiles))
    maxConnections = min(configuration.maxConnections, max(32, maxSockets - Self.spareSockets))
    maxSocketsPerAddress = configuration.maxSocketsPerAddress
  }

  /// Whether there is room for no more WebSockets.
  var isFull: Bool { connections.load(ordering: .relaxed) >= maxConnections }

  /// A loop will accept connections.
  func loopAccepts() { acceptingLoops.add(1, ordering: .relaxed) }

  /// A loop accepts no more.
  func loopStops() { acceptingLoops.subtract(1, ordering: .sequentiallyConsistent) }

  /// Whether no loop accepts any more, and nobody is left on any: pages of one may be served by another.
  var isDeserted: Bool {
    acceptingLoops.load(ordering: .sequentiallyConsistent) <= 0 && sockets.withLock { $0.total == 0 }
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
  /// - Parameter address: The peer's address, or nil if its sockets are not counted.
  /// - Returns: Whether there was one.
  func admitSocket(from address: String?) -> Bool {
    sockets.withLock { sockets in
      guard sockets.total < maxSockets else { return false }
      if let address, let limit = maxSocketsPerAddress {
        let count = sockets.byAddress[address, default: 0]
        guard count < limit else { return false }
        sockets.byAddress[address] = count + 1
      }
      sockets.total += 1
      return true
    }
  }

  /// Gives a socket's place back.
  func releaseSocket(from address: String?) {
    sockets.withLock { sockets in
      sockets.total -= 1
      guard let address, let count = sockets.byAddress[address] else { return }
      sockets.byAddress[address] = count > 1 ? count - 1 : nil
    }
  }
}
