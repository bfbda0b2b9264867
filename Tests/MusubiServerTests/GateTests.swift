// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import MusubiServer

@Suite struct `The gate of an operator's site` {
  private let token = "0123456789abcdef"
  private let handshake = Handshake(
    allowedOrigins: [], allowedHosts: ["admin.example"], subprotocol: "musubi.v1")

  /// What becomes of a request: `open`, a status and a code, or a cookie.
  private func passage(
    _ path: String = "/metrics", method: HTTPRequest.Method = .get, isGuarded: Bool = true,
    token: String? = nil,
    with headers: [String: String] = [:]
  ) -> String {
    let request = HTTPRequest(
      method: method, path: path, headers: ["host": "127.0.0.1:9090"].merging(headers) { $1 })
    let gate = AccessGate(token: token ?? self.token, isGuarded: isGuarded, isSecure: false)
    switch gate.passage(of: request, handshake) {
    case .open: return "open"
    case .remembered(let header): return header.value
    case .refused(let refusal): return "\(refusal.status) \(refusal.code)"
    }
  }

  private func basic(_ text: String) -> [String: String] {
    ["authorization": "Basic " + Data(text.utf8).base64EncodedString()]
  }

  @Test func `lets everybody ask for health`() {
    #expect(passage("/healthz", with: ["host": "evil.example"]) == "open")
    #expect(passage("/readyz") == "open")
    #expect(passage("/healthz", method: .other) == "401 no-token")
  }

  @Test func `lets everybody look where it is not guarded, and change nothing`() {
    #expect(passage(isGuarded: false) == "open")
    #expect(passage(method: .other, isGuarded: false) == "401 no-token")
    let gate = AccessGate(token: nil, isGuarded: false, isSecure: false)
    let request = HTTPRequest(
      method: .other, path: "/", headers: ["host": "127.0.0.1", "authorization": "Bearer "])
    guard case .refused = gate.passage(of: request, handshake) else {
      Issue.record("Without a token nobody changes anything.")
      return
    }
  }

  @Test func `refuses foreign names and foreign pages`() {
    for isGuarded in [false, true] {
      #expect(
        passage(isGuarded: isGuarded, with: ["host": "evil.example:9090"]) == "403 origin-not-allowed")
      #expect(
        passage(isGuarded: isGuarded, with: ["origin": "http://evil.example"]) == "403 origin-not-allowed")
      #expect(
        passage(isGuarded: isGuarded, with: ["origin": "http://127.0.0.1:8080"]) == "403 origin-not-allowed")
    }
    #expect(passage(isGuarded: false, with: ["host": "localhost:9090"]) == "open")
    #expect(passage(isGuarded: false, with: ["host": "admin.example"]) == "open")
    #expect(passage(isGuarded: false, with: ["origin": "http://127.0.0.1:9090"]) == "open")
  }

  @Test func `opens by the token, and has a browser remember something else`() throws {
    let cookie = passage(with: ["authorization": "Bearer 0123456789abcdef"])
    #expect(cookie == passage(with: basic("anybody:0123456789abcdef")))
    #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
    #expect(!cookie.contains(token))

    let pair = String(try #require(cookie.split(separator: ";").first))
    #expect(passage(with: ["cookie": "a=b; " + pair]) == "open")
    #expect(passage(with: ["cookie": pair + "0"]) == "401 no-token")
    #expect(passage(token: "another-token-0123", with: ["cookie": pair]) == "401 no-token")
    // A page of another port could send it along.
    #expect(passage("/", method: .other, with: ["cookie": pair]) == "401 no-token")
    #expect(passage("/", method: .other, with: ["authorization": "bearer 0123456789abcdef"]) == cookie)
  }

  @Test func `stays shut for anything else`() {
    #expect(passage() == "401 no-token")
    for wrong in [
      "Bearer", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0", "Basic", "Basic ????",
      "Digest a",
    ] {
      #expect(passage(with: ["authorization": wrong]) == "401 wrong-token", "\(wrong)")
    }
    #expect(passage(with: basic("0123456789abcdef")) == "401 wrong-token")
    #expect(passage(with: basic("0123456789abcdef:")) == "401 wrong-token")
  }

  @Test func `reads passwords of every length`() {
    for length in 0..<8 {
      let password = String("pässwörd".prefix(length)) + ":x"
      #expect(AccessGate.token(in: basic("me:" + password)["authorization"] ?? "") == password)
    }
  }
}
