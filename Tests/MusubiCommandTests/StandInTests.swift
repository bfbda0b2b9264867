// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

@testable import MusubiCommand

@Suite(.timeLimit(.minutes(5))) struct `What answers while no program runs` {
  private let socket: ListeningSocket

  init() throws { socket = try ListeningSocket(port: 0) }

  /// A connection to it.
  private func connect() -> Int32 {
    let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = socket.port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    #expect(status == 0)
    return descriptor
  }

  private func send(_ text: String, to descriptor: Int32) {
    #expect(text.withCString { write(descriptor, $0, strlen($0)) } == text.utf8.count)
  }

  /// Works until a connection is answered.
  private func answer(on descriptor: Int32, by standIn: inout StandIn) -> String {
    var bytes: [UInt8] = []
    while true {
      let ready = Readiness.wait(for: standIn.descriptors + [descriptor])
      standIn.answer(ready.filter { $0 != descriptor }, problem: Array("{}".utf8))
      guard ready.contains(descriptor) else { continue }
      var piece = [UInt8](repeating: 0, count: 65_536)
      let count = read(descriptor, &piece, piece.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += piece[..<count]
    }
  }

  private func ask(_ path: String, host: String = "127.0.0.1:8080", _ fields: String = "") -> String {
    var standIn = StandIn(on: socket.descriptor)
    let descriptor = connect()
    defer { close(descriptor) }
    send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n", to: descriptor)
    return answer(on: descriptor, by: &standIn)
  }

  @Test func `is a page under the strict policy for people, and a code for scripts`() {
    defer { close(socket.descriptor) }
    let page = ask("/tea?room=1", "Accept: text/html,*/*\r\n")
    #expect(page.hasPrefix("HTTP/1.1 503 "))
    #expect(page.contains("default-src 'self'") && page.contains("require-trusted-types-for 'script'"))
    #expect(page.contains("Cache-Control: no-store\r\n") && page.contains("/musubi/problem-page.js"))
    let answer = ask("/live/tea", "Accept: */*\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("\"not-running\""))
  }

  @Test func `is the problem, and the scripts that show it`() {
    defer { close(socket.descriptor) }
    #expect(ask("/musubi/problem.json").hasSuffix("\r\n\r\n{}"))
    for file in ["dev", "problem", "problem-page"] {
      let script = ask("/musubi/\(file).js")
      #expect(script.hasPrefix("HTTP/1.1 200 ") && script.contains("text/javascript"), "\(file)")
    }
  }

  @Test func `is nothing of the sources under another name`() {
    defer { close(socket.descriptor) }
    #expect(ask("/musubi/problem.json", host: "evil.example").hasPrefix("HTTP/1.1 421 "))
    #expect(ask("/musubi/problem.json", host: "localhost").hasPrefix("HTTP/1.1 200 "))
  }

  @Test func `waits for nobody who is slow, and ends who says too much`() {
    defer { close(socket.descriptor) }
    var standIn = StandIn(on: socket.descriptor)
    let (silent, half, quick) = (connect(), connect(), connect())
    defer { for descriptor in [silent, half, quick] { close(descriptor) } }
    send("GET /live/tea HT", to: half)
    send("GET /live/tea HTTP/1.1\r\nHost: localhost\r\n\r\n", to: quick)
    #expect(answer(on: quick, by: &standIn).hasPrefix("HTTP/1.1 503 "))
    send("TP/1.1\r\nHost: localhost\r\n\r\n", to: half)
    #expect(answer(on: half, by: &standIn).hasPrefix("HTTP/1.1 503 "))
    send("GET /" + String(repeating: "a", count: 20_000), to: silent)
    #expect(answer(on: silent, by: &standIn).isEmpty)

    // Whoever has said nothing is told by a closed connection that somebody else answers now.
    let waiting = connect()
    defer { close(waiting) }
    standIn.answer(Readiness.wait(for: standIn.descriptors), problem: [])
    standIn.stop()
    #expect(answer(on: waiting, by: &standIn).isEmpty)
  }
}
