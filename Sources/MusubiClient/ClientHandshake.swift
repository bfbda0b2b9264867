// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// The client's side of the opening handshake (RFC 6455, section 4.1).
struct ClientHandshake {
  /// The server's answer so far.
  enum Progress: Equatable {
    /// More bytes are needed.
    case waiting
    /// The connection is a WebSocket now; what came behind the answer belongs to it.
    case accepted(rest: [UInt8])
    /// The server refused.
    case refused(ClientRefusal)
  }

  private static let maximumBytes = 1 << 20
  private let key: String
  private let subprotocol: String
  private var received: [UInt8] = []

  /// The request's bytes.
  let request: [UInt8]

  init(
    server: ServerAddress, target: String, origin: String?, cookie: String?, authorization: String? = nil,
    subprotocol: String, random: () -> UInt8
  ) {
    self.subprotocol = subprotocol
    key = Base64.encoded((0..<16).map { _ in random() })
    var lines = [
      "GET \(target) HTTP/1.1", "Host: \(server.authority)", "Upgrade: websocket", "Connection: Upgrade",
      "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13",
    ]
    if !subprotocol.isEmpty { lines.append("Sec-WebSocket-Protocol: \(subprotocol)") }
    if let origin { lines.append("Origin: \(origin)") }
    if let cookie { lines.append("Cookie: \(cookie)") }
    if let authorization { lines.append("Authorization: \(authorization)") }
    request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  /// The value that proves that the server understood the handshake.
  static func acceptValue(for key: String) -> String {
    Base64.encoded(SHA1.hash(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
  }

  /// Takes bytes of the answer.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that have arrived.
  ///   - isEnd: Whether the server has closed the connection.
  /// - Returns: How far the handshake has come.
  /// - Throws: `ClientError` if the answer is no answer to this handshake.
  mutating func receive(_ bytes: some Collection<UInt8>, isEnd: Bool = false) throws(ClientError) -> Progress
  {
    received.append(contentsOf: bytes)
    guard received.count <= Self.maximumBytes else { throw ClientError(.handshake("the answer is too long")) }
    guard let response = HTTPHead(received) else {
      guard !isEnd else {
        throw ClientError(.handshake("the server closed the connection without an answer"))
      }
      return .waiting
    }
    guard response.status == 101 else {
      let length = response.fields["content-length"].flatMap { Int($0) }
      let body = received[response.length...]
      guard isEnd || length.map({ body.count >= $0 }) ?? false else { return .waiting }
      let text = String(decoding: length.map { body.prefix($0) } ?? body, as: UTF8.self)
      return .refused(ClientRefusal(status: response.status, body: text))
    }
    guard response.fields["upgrade"]?.lowercased() == "websocket",
      response.fields["sec-websocket-accept"] == Self.acceptValue(for: key)
    else { throw ClientError(.handshake("the server did not confirm the key")) }
    guard response.fields["sec-websocket-protocol"] ?? "" == subprotocol else {
      throw ClientError(.handshake("the server chose another subprotocol than \(subprotocol)"))
    }
    return .accepted(rest: Array(received[response.length...]))
  }
}

/// An HTTP answer in place of a WebSocket.
public struct ClientRefusal: Equatable, Sendable, CustomStringConvertible {
  /// The HTTP status.
  public let status: Int
  /// The body: JSON with `code` and `message`.
  public let body: String

  /// A refusal that comes as a frame, behind the handshake; nil if the frame is another one.
  init?(frame: [UInt8]) {
    let text = String(decoding: frame, as: UTF8.self)
    guard text.hasPrefix("{\"refused\":") else { return nil }
    do throws(WireError) {
      let refused = try Value(json: text)["refused"]
      status = refused?["status"]?.intValue ?? 0
      body = refused.map { "\($0)" } ?? ""
    } catch {
      return nil
    }
  }

  init(status: Int, body: String) {
    self.status = status
    self.body = body
  }

  /// The status and the body, cut to one line.
  public var description: String { "refused with \(status) \(body.prefix(200).filter { !$0.isNewline })" }
}

/// The first line and the header fields of an HTTP answer.
private struct HTTPHead {
  let status: Int
  /// Names in lower case; the last of a name counts.
  let fields: [String: String]
  /// The bytes up to the body.
  let length: Int

  /// Nil until the empty line behind the fields has arrived, or if this is no HTTP.
  init?(_ bytes: [UInt8]) {
    let end: [UInt8] = [13, 10, 13, 10]
    guard bytes.count >= 4,
      let start = (0...bytes.count - 4).first(where: { bytes[$0..<$0 + 4].elementsEqual(end) })
    else { return nil }
    let lines = String(decoding: bytes[..<start], as: UTF8.self).split(whereSeparator: \.isNewline)
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return nil }
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      fields[line[..<colon].lowercased()] = String(value)
    }
    self.status = status
    self.fields = fields
    length = start + 4
  }
}
