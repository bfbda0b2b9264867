// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets
import Glibc
import MusubiWire

/// One socket of the library; valid until its handler's `destroyed`, on the loop's thread.
struct LWSSocket {
  private let raw: OpaquePointer

  init(_ raw: OpaquePointer) { self.raw = raw }

  // MARK: - Writing

  /// Whether the last write left bytes behind; writing now would copy them.
  var hasUnsentBytes: Bool { lws_partial_buffered(raw) != 0 }

  /// Sends whole frames, or a part of a response, as they are.
  ///
  /// - Returns: Whether the socket can still be used.
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return true }
    // The library only reads: this kind, an alias of LWS_WRITE_RAW, puts nothing in front of the bytes.
    let pointer = UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: UInt8.self))
    return lws_write(raw, pointer, bytes.count, LWS_WRITE_HTTP) >= 0
  }

  /// Asks for `writable`.
  func askWritable() { lws_callback_on_writable(raw) }

  /// Ends the socket at once, without a close frame; not from within its own handler.
  func kill() { musubi_kill(raw) }

  /// Gives a response that is being sent so much more time.
  func extendResponseTimeout(seconds: Int32) { lws_set_timeout(raw, PENDING_TIMEOUT_HTTP_CONTENT, seconds) }

  /// Has the library give the connection as much time as it takes: somebody else counts it.
  func clearTimeout() { lws_set_timeout(raw, NO_PENDING_TIMEOUT, 0) }

  /// Has the library read again.
  func resumeReading() { musubi_resume_reading(raw) }

  /// Whether the library has read bytes behind the request that it reports; nil if it has done so for some connection of
  /// the loop, and maybe for this one.
  var hasReadAhead: Bool? {
    switch musubi_has_read_ahead(raw) {
    case 0: false
    case 1: true
    default: nil
    }
  }

  /// Tells the library that the response is complete.
  ///
  /// - Returns: What to answer to the library.
  func completeResponse() -> LWSVerdict { lws_http_transaction_completed(raw) == 0 ? .keep : .close }

  // MARK: - The request

  /// The request's head.
  func request(remoteAddress: String, maxHeaderBytes: Int) -> HTTPRequest {
    var pathStart: UnsafeMutablePointer<CChar>?
    var pathLength: Int32 = 0
    let method = lws_http_get_uri_and_method(raw, &pathStart, &pathLength)
    var request = HTTPRequest(
      method: Self.method(method), path: "/", isHTTP11: header(WSI_TOKEN_HTTP) == "HTTP/1.1",
      remoteAddress: remoteAddress)
    var isPathWhole = true
    if let pathStart {
      // At a `&` or `;` the library splits the path, and leaves a byte of an earlier head between the parts.
      let bytes = UnsafeRawBufferPointer(start: pathStart, count: strnlen(pathStart, Int(pathLength)))
      isPathWhole = bytes.count == pathLength
      request.isAddressUTF8 = UTF8Check.isValid(bytes)
      request.path = String(decoding: bytes, as: UTF8.self)
    }
    for (name, token) in Self.headers { request.headers[name] = header(token) }
    if request.headers["upgrade"] == nil {
      for (name, token) in Self.plainHeaders { request.headers[name] = header(token) }
      if !request.isLooking { request.headers["sec-fetch-site"] = customHeader("sec-fetch-site") }
      request.headers["tus-resumable"] = customHeader("tus-resumable")
      if request.headers["tus-resumable"] != nil {
        for name in Self.uploadHeaders { request.headers[name] = customHeader(name) }
      }
    }
    request.headers["forwarded"] = customHeader("forwarded")
    readQuery(of: &request, maxBytes: maxHeaderBytes)
    request.defect = defect(of: request, hasMethod: method >= 0, maxHeaderBytes: maxHeaderBytes)
    if !isPathWhole {
      request.defect = request.defect ?? "In a path & and ; are written as %26 and %3B, and there is no %00."
    }
    return request
  }

  /// What could be read in two ways, or what no answer fits.
  private func defect(of request: HTTPRequest, hasMethod: Bool, maxHeaderBytes: Int) -> String? {
    guard hasMethod else { return "The server does not know the method." }
    guard !hasLineInName(maxHeaderBytes: maxHeaderBytes) else {
      return "The server cannot tell the lines of the request's head apart."
    }
    guard ["HTTP/1.1", "HTTP/1.0"].contains(header(WSI_TOKEN_HTTP)) else {
      return "The server speaks HTTP/1.1."
    }
    guard count(of: WSI_TOKEN_HOST) <= 1, request.headers["host"] != nil || !request.isHTTP11 else {
      return "A request of HTTP/1.1 has one Host."
    }
    let length = header(WSI_TOKEN_HTTP_CONTENT_LENGTH)
    let isLength = length.map { $0.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) } ?? true
    guard count(of: WSI_TOKEN_HTTP_CONTENT_LENGTH) <= 1, isLength else {
      return "A request has one Content-Length, which is a number."
    }
    guard count(of: WSI_TOKEN_HTTP_TRANSFER_ENCODING) == 0 else {
      return "The server reads no body without a Content-Length."
    }
    return nil
  }

  /// How often a request has a header field; no more than two are counted.
  private func count(of token: lws_token_indexes) -> Int {
    if lws_hdr_fragment_length(raw, token, 1) > 0 { return 2 }
    return lws_hdr_total_length(raw, token) > 0 ? 1 : 0
  }

  private static func method(_ number: Int32) -> HTTPRequest.Method {
    switch number {
    case Int32(LWSHUMETH_GET): .get
    case Int32(LWSHUMETH_HEAD): .head
    case Int32(LWSHUMETH_POST): .post
    case Int32(LWSHUMETH_PATCH): .patch
    case Int32(LWSHUMETH_DELETE): .delete
    case Int32(LWSHUMETH_OPTIONS): .options
    default: .other
    }
  }

  /// The header fields that the server knows, and their numbers in the library.
  static let headers: [(String, lws_token_indexes)] = [
    ("host", WSI_TOKEN_HOST), ("origin", WSI_TOKEN_ORIGIN), ("upgrade", WSI_TOKEN_UPGRADE),
    ("connection", WSI_TOKEN_CONNECTION), ("sec-websocket-version", WSI_TOKEN_VERSION),
    ("sec-websocket-protocol", WSI_TOKEN_PROTOCOL), ("sec-websocket-key", WSI_TOKEN_KEY),
    ("if-none-match", WSI_TOKEN_HTTP_IF_NONE_MATCH), ("accept-encoding", WSI_TOKEN_HTTP_ACCEPT_ENCODING),
    ("authorization", WSI_TOKEN_HTTP_AUTHORIZATION), ("cookie", WSI_TOKEN_HTTP_COOKIE),
    ("accept-language", WSI_TOKEN_HTTP_ACCEPT_LANGUAGE), ("user-agent", WSI_TOKEN_HTTP_USER_AGENT),
    ("x-forwarded-for", WSI_TOKEN_X_FORWARDED_FOR),
  ]

  /// Those that say nothing about a handshake.
  private static let plainHeaders: [(String, lws_token_indexes)] = [
    ("accept", WSI_TOKEN_HTTP_ACCEPT), ("content-length", WSI_TOKEN_HTTP_CONTENT_LENGTH),
    ("content-type", WSI_TOKEN_HTTP_CONTENT_TYPE), ("expect", WSI_TOKEN_HTTP_EXPECT),
    ("range", WSI_TOKEN_HTTP_RANGE), ("if-range", WSI_TOKEN_HTTP_IF_RANGE),
    ("if-match", WSI_TOKEN_HTTP_IF_MATCH),
  ]

  /// Those of the protocol tus, for requests that speak it.
  private static let uploadHeaders = [
    "upload-length", "upload-offset", "upload-metadata", "upload-defer-length",
  ]

  private func header(_ token: lws_token_indexes) -> String? {
    let length = Int(lws_hdr_total_length(raw, token))
    guard length > 0 else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: length + 1) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = lws_hdr_copy(raw, start, Int32(buffer.count), token)
      guard count > 0 else { return nil }
      return String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }
  }

  /// A header field that the library has no number for; of several lines the first.
  func customHeader(_ name: String) -> String? {
    customLine(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// All lines of a header field that the library has no number for, without those that equal the one before.
  ///
  /// The library finds the first line only. So each is hidden when it has been read, by another first letter of its name
  /// in the library's memory of the head; in the end all have their letter back.
  ///
  /// - Returns: The lines; nil if they cannot be found.
  func customLines(_ name: String, maxHeaderBytes: Int) -> [String]? {
    guard var line = customLine(name) else { return [] }
    guard var place = startOfHead, let letter = name.utf8.first.map(CChar.init(bitPattern:)) else {
      return nil
    }
    let field = name + ":"
    let end = place + maxHeaderBytes - field.utf8.count
    var lines: [String] = []
    var hidden: [UnsafeMutablePointer<CChar>] = []
    defer { for place in hidden { place.pointee = letter } }
    while place < end {
      defer { place += 1 }
      guard strncmp(place, field, field.utf8.count) == 0 else { continue }
      place.pointee = 0
      hidden.append(place)
      let next = customLine(name)
      // Within an address or a value the text is no name, and hides nothing.
      if next != line { lines.append(line) }
      guard let next else { return lines }
      line = next
    }
    return nil
  }

  /// Where the library keeps the head; nil where a request does not begin with its method.
  private var startOfHead: UnsafeMutablePointer<CChar>? {
    var path: UnsafeMutablePointer<CChar>?
    var length: Int32 = 0
    guard lws_http_get_uri_and_method(raw, &path, &length) >= 0, let path else { return nil }
    // Eight bytes for the header field that the first line might have been, and the method's first letter, come before.
    let start = path - 9
    guard (0..<8).allSatisfy({ start[$0] == 0 }), start[8] != 0 else { return nil }
    return start
  }

  /// Whether the library has taken a line for a part of the name before it.
  ///
  /// A name with which a longer one begins that the library knows, such as `X-Forwarded`, ends for it with the next line's
  /// colon. That line could be the proxy's own, or the `Content-Length`.
  private func hasLineInName(maxHeaderBytes: Int) -> Bool {
    guard let start = startOfHead else { return true }
    let end = start + maxHeaderBytes
    func first(_ character: Int32, from place: UnsafeMutablePointer<CChar>) -> UnsafeMutablePointer<CChar>? {
      memchr(place, character, end - place)?.assumingMemoryBound(to: CChar.self)
    }
    var (place, colon) = (start + 8, start)
    while let newline = first(10, from: place) {
      if colon < newline {
        guard let next = first(58, from: newline) else { return false }
        colon = next
      }
      // The memory may have remains of other heads: the library says whether the name is one of this.
      var name = newline
      while name > start + 8, name[-1] != 10 {
        name -= 1
        let length = colon + 1 - name
        guard Int(UInt8(bitPattern: name[-8])) << 8 | Int(UInt8(bitPattern: name[-7])) == length else {
          continue
        }
        if lws_hdr_custom_length(raw, name, Int32(length)) >= 0 { return true }
      }
      place = newline + 1
    }
    return false
  }

  private func customLine(_ name: String) -> String? {
    let field = name + ":"
    let length = Int(lws_hdr_custom_length(raw, field, Int32(field.utf8.count)))
    guard length >= 0 else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: length + 1) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = lws_hdr_custom_copy(raw, start, Int32(buffer.count), field, Int32(field.utf8.count))
      guard count >= 0 else { return nil }
      return String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }
  }

  private func readQuery(of request: inout HTTPRequest, maxBytes: Int) {
    guard lws_hdr_total_length(raw, WSI_TOKEN_HTTP_URI_ARGS) > 0 else { return }
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: maxBytes) { buffer in
      guard let start = buffer.baseAddress else { return }
      var index: Int32 = 0
      while true {
        let length = lws_hdr_copy_fragment(raw, start, Int32(buffer.count), WSI_TOKEN_HTTP_URI_ARGS, index)
        guard length >= 0 else { return }
        index += 1
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(length))
        if !UTF8Check.isValid(bytes) { request.isAddressUTF8 = false }
        let parts = String(decoding: bytes, as: UTF8.self)
          .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty, request.query[String(name)] == nil else { continue }
        request.query[String(name)] = parts.count > 1 ? String(parts[1]) : ""
      }
    }
  }

  // MARK: - The bytes of a WebSocket

  /// Has the library read no more; the handler hears `writable` if it has read bytes behind the handshake.
  func stopReading() { musubi_stop_reading(raw) }

  /// Takes over reading and writing from the library.
  ///
  /// - Parameters:
  ///   - loop: The loop that the socket belongs to.
  ///   - connection: Who is told; kept alive by the caller until the stream is released.
  /// - Returns: The stream; nil if there is no memory.
  func makeStream(on loop: LibevLoop, for connection: Connection) -> SocketStream? {
    musubi_stream_create(loop.raw, raw, connection.opaque).map(SocketStream.init)
  }
}
