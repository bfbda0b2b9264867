// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets

/// Asks a running server whether it is well, from outside of its process.
package struct HealthProbe: Sendable {
  package var host: String
  package var port: UInt16
  /// Whether the server speaks TLS.
  package var isSecure: Bool
  /// The seconds that each step may take.
  package var timeLimit: Int32 = 5

  package init(host: String, port: UInt16, isSecure: Bool) {
    self.host = host
    self.port = port
    self.isSecure = isSecure
  }

  /// Asks for `/healthz`.
  ///
  /// - Returns: Why the server is not well, as a part of a sentence; nil if it is.
  package func problem() -> String? {
    let request =
      "GET /healthz HTTP/1.1\r\nHost: \(host.contains(":") ? "[\(host)]" : host):\(port)\r\nConnection: close\r\n\r\n"
    var answer = [CChar](repeating: 0, count: 4_096)
    var reason: UnsafePointer<CChar>?
    let count = musubi_ask(
      host, String(port), isSecure ? 1 : 0, timeLimit, request, &answer, answer.count, &reason)
    guard count >= 0 else { return reason.map { String(cString: $0) } ?? "nobody answers" }
    let text = String(decoding: answer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if text.hasPrefix("HTTP/1.1 200 "), text.hasSuffix("\r\n\r\nok\n") { return nil }
    let line = text.prefix { $0 != "\r\n" }
    return line.isEmpty ? "the connection was closed" : "it answered \"\(line.prefix(80))\""
  }
}
