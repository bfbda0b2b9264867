// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Synchronization

/// A Unix socket in front of PostgreSQL's, which loses what a test wants: a statement on its way, or the answer to it.
///
/// `@unchecked Sendable`: the threads share what is behind the lock, and descriptors, which stay open until the test ends.
final class LossyProxy: @unchecked Sendable {
  /// What becomes of the next statement that has a mark in its bytes, and of its connection.
  enum Loss {
    /// The connection is closed; the statement never arrives.
    case statement
    /// The connection is closed; the statement arrives, and its answer does not.
    case answer
    /// The connection is closed; the statement arrives when the test says so.
    case late
  }

  private struct State {
    var losses: [Loss] = []
    var late: [(descriptor: Int32, bytes: [UInt8])] = []
    var lost = 0
    var refuses = false
  }

  let folder: String
  private let target: String
  private let mark: [UInt8]
  private let listener: Int32
  private let state = Mutex(State())

  /// Listens as the server in a folder of its own.
  ///
  /// - Parameters:
  ///   - target: The folder of the server's socket.
  ///   - mark: The bytes of the statement that is meant.
  init(to target: String, losing mark: String) {
    self.target = target + "/.s.PGSQL.5432"
    self.mark = Array(mark.utf8)
    folder = "/tmp/musubi-proxy-\(UUID().uuidString.prefix(8))"
    mkdir(folder, 0o700)
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let path = folder + "/.s.PGSQL.5432"
    precondition(Self.withAddress(path) { bind(listener, $0, $1) } == 0 && listen(listener, 16) == 0)
    Thread.detachNewThread { [self] in accept() }
  }

  func lose(_ losses: Loss...) { state.withLock { $0.losses += losses } }
  /// How many statements were lost in one way or another.
  var lost: Int { state.withLock { $0.lost } }
  /// Whether new connections end at once.
  var refuses: Bool {
    get { state.withLock { $0.refuses } }
    set { state.withLock { $0.refuses = newValue } }
  }

  /// Has the late statements arrive, and waits until the server has ended their connections.
  func deliver() {
    let late = state.withLock { state in
      let late = state.late
      state.late = []
      return late
    }
    for (descriptor, bytes) in late {
      write(bytes, to: descriptor)
      shutdown(descriptor, Int32(SHUT_WR))
      while !read(descriptor).isEmpty {}
      close(descriptor)
    }
  }

  func end() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    unlink(folder + "/.s.PGSQL.5432")
    rmdir(folder)
  }

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { return }
      guard !refuses else {
        close(client)
        continue
      }
      let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      guard Self.withAddress(target, { connect(server, $0, $1) }) == 0 else {
        close(client)
        close(server)
        continue
      }
      Thread.detachNewThread { [self] in forward(client, server) }
      Thread.detachNewThread { [self] in
        while true {
          let bytes = read(server)
          guard !bytes.isEmpty else { break }
          write(bytes, to: client)
        }
        shutdown(client, Int32(SHUT_RDWR))
      }
    }
  }

  private func forward(_ client: Int32, _ server: Int32) {
    var isLate = false
    while true {
      let bytes = read(client)
      guard !bytes.isEmpty else { break }
      let loss = state.withLock { state -> Loss? in
        guard !state.losses.isEmpty, Data(bytes).range(of: Data(mark)) != nil else { return nil }
        state.lost += 1
        return state.losses.removeFirst()
      }
      guard let loss else {
        write(bytes, to: server)
        continue
      }
      // The client finds its connection closed before it gets any answer.
      shutdown(client, Int32(SHUT_RDWR))
      switch loss {
      case .statement: break
      case .answer: write(bytes, to: server)
      case .late:
        isLate = true
        state.withLock { $0.late.append((dup(server), bytes)) }
      }
      break
    }
    // Nothing is closed: the other thread may still use the descriptors.
    if !isLate { shutdown(server, Int32(SHUT_WR)) }
  }

  private func read(_ descriptor: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
  }

  private func write(_ bytes: [UInt8], to descriptor: Int32) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  private static func withAddress(
    _ path: String, _ work: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        work($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
