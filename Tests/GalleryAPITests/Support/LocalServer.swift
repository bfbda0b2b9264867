// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// An HTTP server on loopback that answers one request per connection as a test wants it.
final class LocalServer: Sendable {
  /// What the server does with a request.
  indirect enum Reply: Sendable {
    /// Sends a status and a body.
    case answer(status: Int, String)
    /// Promises more bytes than it sends, and closes.
    case cut(String)
    /// Closes without a word.
    case close
    /// Waits for the semaphore first; how long is up to the test.
    case after(DispatchSemaphore, Reply)
  }

  /// A client's request.
  struct Request: Sendable {
    let path: String
    let query: [String: String]
    let head: String
  }

  let url: URL
  private let listener: Int32
  private let seen: Mutex<[Request]>

  init(_ reply: @escaping @Sendable (Request) -> Reply) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 16) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard isListening, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
      throw POSIXError(.EADDRNOTAVAIL)
    }
    self.url = url
    self.listener = listener
    seen = Mutex([])
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { break }
        Thread.detachNewThread { [weak self] in
          defer { close(connection) }
          guard let request = Self.request(on: connection) else { return }
          self?.note(request)
          Self.send(reply(request), on: connection)
        }
      }
      close(listener)
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  /// The requests so far.
  var requests: [Request] { seen.withLock { $0 } }

  private func note(_ request: Request) { seen.withLock { $0.append(request) } }

  private static func request(on connection: Int32) -> Request? {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: received, as: UTF8.self).contains("\r\n\r\n") {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      received += buffer[..<count]
    }
    let head = String(decoding: received, as: UTF8.self)
    let words = head.prefix { $0 != "\r\n" }.split(separator: " ")
    guard words.count == 3 else { return nil }
    let parts = words[1].split(separator: "?", maxSplits: 1)
    let pairs = parts.dropFirst().flatMap { $0.split(separator: "&") }.compactMap { pair in
      let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
      return sides.count == 2 ? (sides[0], sides[1].removingPercentEncoding ?? "") : nil
    }
    return Request(
      path: String(parts[0]), query: Dictionary(pairs) { first, _ in first }, head: head)
  }

  private static func send(_ reply: Reply, on connection: Int32) {
    switch reply {
    case .answer(let status, let body): send(status, body, length: body.utf8.count, on: connection)
    case .cut(let body): send(200, body, length: body.utf8.count + 100, on: connection)
    case .close: break
    case .after(let semaphore, let reply):
      semaphore.wait()
      send(reply, on: connection)
    }
  }

  private static func send(_ status: Int, _ body: String, length: Int, on connection: Int32) {
    let head =
      "HTTP/1.1 \(status) Status\r\nContent-Type: application/json; charset=utf-8\r\n"
      + "Content-Length: \(length)\r\nConnection: close\r\n\r\n"
    var rest = Array((head + body).utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
