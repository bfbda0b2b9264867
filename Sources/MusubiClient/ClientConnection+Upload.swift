// SPDX-License-Identifier: Apache-2.0
import Glibc

extension ClientConnection {
  /// Sends a file to a control, in one part by tus 1.0, and waits until all of it has arrived.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - name: Its name.
  ///   - address: Where it goes; `ClientSession.uploadAddress(of:)`.
  ///   - end: When to give up.
  /// - Returns: The token that the control's input says.
  /// - Throws: `ClientError` with the server's sentence if it refuses the file.
  public func upload(
    _ bytes: [UInt8], named name: String, to address: String, until end: ContinuousClock.Instant
  ) throws(ClientError) -> String {
    let begun = try exchange(
      "POST", address,
      ["Upload-Length": "\(bytes.count)", "Upload-Metadata": "filename \(Base64.encoded(Array(name.utf8)))"],
      [], until: end)
    guard let place = begun.fields["location"] else { throw ClientError(.upload(begun.sentence)) }
    let sent = try exchange(
      "PATCH", place, ["Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"], bytes,
      until: end)
    guard sent.status == 204 else { throw ClientError(.upload(sent.sentence)) }
    return String(place.split(separator: "/").last ?? "")
  }

  private struct Answer {
    var status = 0
    var fields: [String: String] = [:]
    var body = ""

    var sentence: String { "\(status) \(body.prefix { $0 != "\n" })" }
  }

  /// Sends a request on a connection of its own.
  private func exchange(
    _ method: String, _ path: String, _ fields: [String: String], _ body: [UInt8],
    until end: ContinuousClock.Instant
  ) throws(ClientError) -> Answer {
    var fields = fields
    fields["Host"] = server.authority
    fields["Connection"] = "close"
    fields["Tus-Resumable"] = "1.0.0"
    fields["Content-Length"] = "\(body.count)"
    fields["Origin"] = options.origin
    fields["Cookie"] = options.cookie
    fields["Authorization"] = options.authorization
    let head =
      "\(method) \(path) HTTP/1.1\r\n" + fields.map { "\($0.key): \($0.value)\r\n" }.joined() + "\r\n"
    let socket = try ClientSocket.connect(to: server)
    var rest = (Array(head.utf8) + body)[...]
    var received: [UInt8] = []
    while true {
      try wait(for: rest.isEmpty ? POLLIN : POLLIN | POLLOUT, on: socket, until: end)
      if let failure = socket.connectFailure { throw ClientError(.network(failure)) }
      // A server that refuses answers before it has read all.
      if !rest.isEmpty { rest = rest.dropFirst(socket.write(rest) ?? rest.count) }
      switch socket.read() {
      case .bytes(let bytes): received += bytes
      case .nothingYet: continue
      case .end: return try Self.answer(received)
      }
    }
  }

  private func wait(
    for events: Int32, on socket: ClientSocket, until end: ContinuousClock.Instant
  ) throws(ClientError) {
    let left = Int32(max(0, (end - .now) / .milliseconds(1)))
    var entry = pollfd(fd: socket.descriptor, events: Int16(events), revents: 0)
    guard poll(&entry, 1, left) > 0 else { throw ClientError(.upload("the server did not answer in time")) }
  }

  private static func answer(_ bytes: [UInt8]) throws(ClientError) -> Answer {
    let text = String(decoding: bytes, as: UTF8.self)
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
    let lines = parts.first?.split(separator: "\r\n") ?? []
    var answer = Answer()
    guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw ClientError(.upload("the server closed the connection without an answer"))
    }
    answer.status = status
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      answer.fields[line[..<colon].lowercased()] = String(line[colon...].dropFirst().drop { $0 == " " })
    }
    answer.body = parts.count > 1 ? String(parts[1]) : ""
    return answer
  }
}
