// SPDX-License-Identifier: Apache-2.0
import Glibc
import MusubiServer

/// Answers the browsers while no program does: with a page that shows why, and reloads itself when one does.
struct StandIn {
  /// A request whose head has not come whole.
  private struct Request {
    var head: [UInt8] = []
    let begin = ContinuousClock.now
  }

  private static let maxRequests = 64
  private static let maxHeadBytes = 16 * 1024
  private static let patience: Duration = .seconds(10)

  /// A page without words: its script asks for them.
  private static let page = """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>musubi dev</title>
    <script type="module" src="/musubi/problem-page.js"></script>
    </head>
    <body><noscript>The program does not run; the terminal of musubi dev says why.</noscript></body>
    </html>

    """

  private let socket: Int32
  private let files: [String: [UInt8]]
  private var requests: [Int32: Request] = [:]

  /// Answers on a socket that listens.
  init(on socket: Int32) {
    self.socket = socket
    let own = ClientFiles.all.filter { $0.path.hasPrefix("musubi/") }
    files = Dictionary(uniqueKeysWithValues: own.map { ("/" + $0.path, $0.body) })
  }

  /// What it waits for.
  var descriptors: [Int32] { (requests.count < Self.maxRequests ? [socket] : []) + Array(requests.keys) }

  /// Reads what has come, and answers whole requests.
  ///
  /// - Parameters:
  ///   - ready: The descriptors that can be read.
  ///   - problem: Why no program runs, as JSON.
  mutating func answer(_ ready: [Int32], problem: [UInt8]) {
    for descriptor in ready {
      if descriptor == socket {
        accept()
      } else if let head = readHead(from: descriptor) {
        send(Self.response(to: head, files, problem), to: descriptor)
        end(descriptor)
      }
    }
    for (descriptor, request) in requests where ContinuousClock.now - request.begin > Self.patience {
      end(descriptor)
    }
  }

  /// Gives up requests that have not come whole: a program answers from now on, and the browser asks again.
  mutating func stop() {
    for descriptor in requests.keys { end(descriptor) }
  }

  private mutating func accept() {
    let descriptor = Glibc.accept(socket, nil, nil)
    guard descriptor >= 0 else { return }
    DescriptorPair.keepHere(descriptor)
    // A browser that does not read is not waited for.
    // The optimizing compiler finds no members of `timeval` here: its seconds and microseconds are two `Int`s.
    var limit = (1, 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    requests[descriptor] = Request()
  }

  /// Reads a part of a request's head; nil if it is not whole.
  private mutating func readHead(from descriptor: Int32) -> String? {
    guard var request = requests[descriptor] else { return nil }
    var piece = [UInt8](repeating: 0, count: 4_096)
    let count = read(descriptor, &piece, piece.count)
    if count < 0, errno == EINTR { return nil }
    request.head += piece[..<max(0, count)]
    guard count > 0, request.head.count <= Self.maxHeadBytes else {
      end(descriptor)
      return nil
    }
    requests[descriptor] = request
    let text = String(decoding: request.head, as: UTF8.self)
    return text.contains("\r\n\r\n") ? text : nil
  }

  private mutating func end(_ descriptor: Int32) {
    requests[descriptor] = nil
    shutdown(descriptor, Int32(SHUT_WR))
    close(descriptor)
  }

  private func send(_ bytes: [UInt8], to descriptor: Int32) {
    _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }

  /// The whole answer to a request.
  private static func response(to head: String, _ files: [String: [UInt8]], _ problem: [UInt8]) -> [UInt8] {
    let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
    let words = lines[0].split(separator: " ")
    let path = words.count > 1 ? String(words[1].prefix { $0 != "?" }) : ""
    let fields = lines.dropFirst().map { $0.lowercased() }
    let host = fields.first { $0.hasPrefix("host:") }?.dropFirst(5).drop { $0 == " " }
    var response = answer(to: path, host.map(String.init) ?? "", fields, files, problem)
    response.headers.append((name: "Cache-Control", value: "no-store"))
    response.closes = true
    let sent = response.head(
      host: host.map(String.init), security: SecurityHeaders(), isSecure: false, isHTTP11: true)
    return words.first == "HEAD" ? sent : sent + response.body
  }

  private static func answer(
    to path: String, _ host: String, _ fields: [String], _ files: [String: [UInt8]], _ problem: [UInt8]
  ) -> HTTPResponse {
    // A page of somebody else, whose name leads here, is not to read the author's sources.
    guard ["127.0.0.1", "localhost"].contains(host.prefix { $0 != ":" }) else {
      return HTTPResponse(
        status: 421, headers: [("Content-Type", "text/plain; charset=utf-8")],
        body: Array("The program does not run. Open 127.0.0.1 to see why.\n".utf8))
    }
    if let file = files[path] {
      return HTTPResponse(
        status: 200, headers: [("Content-Type", "text/javascript; charset=utf-8")], body: file)
    }
    if path == "/musubi/problem.json" {
      return HTTPResponse(status: 200, headers: [("Content-Type", "application/json")], body: problem)
    }
    let isForPeople = fields.contains { $0.hasPrefix("accept:") && $0.contains("text/html") }
    return isForPeople
      ? HTTPResponse(
        status: 503, headers: [("Content-Type", "text/html; charset=utf-8")], body: Array(page.utf8))
      : HTTPResponse(
        status: 503, headers: [("Content-Type", "application/json"), ("Retry-After", "1")],
        body: Array(#"{"code":"not-running","message":"The program does not run."}"#.utf8))
  }
}
