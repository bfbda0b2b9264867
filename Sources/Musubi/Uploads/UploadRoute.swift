// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiServer
import MusubiSession

/// Speaks tus 1.0 at one address: creation, offset, resume, expiration and termination.
struct UploadRoute: Sendable {
  /// The largest file.
  let limit: FileSize
  /// The types that a file may have.
  let types: [String]
  /// The uploads, when the server has started.
  let uploads: Uploads
  /// The program, which is given each file once it is complete; nil if controls of screens get them.
  let finished: (@Sendable (UploadedFile, Request) async throws -> Void)?

  private static let version = "1.0.0"
  /// So many bytes of a file are hashed at a time.
  private static let hashedBytes = 1 << 18
  /// The server keeps what a client says of an upload for as long as it remembers it.
  private static let maxMetadataBytes = 4_096

  /// Answers a request.
  ///
  /// - Parameter request: The request; its `parameters` name the upload, unless it begins one.
  /// - Returns: The response.
  /// - Throws: What the program throws beside `HTTPError`, and `UploadFailure`.
  func answer(_ request: Request) async throws -> Response {
    var response: Response
    do {
      response = try await done(request)
    } catch let error as HTTPError {
      response = .text(error.message + "\n", status: error.status)
      if let seconds = error.retryAfter { response.headers["Retry-After"] = "\(seconds)" }
      if error.status == 412 { response.headers["Tus-Version"] = Self.version }
      if error.status == 405 { response.headers["Allow"] = "DELETE, HEAD, PATCH" }
    }
    response.headers["Tus-Resumable"] = Self.version
    return response
  }

  private func done(_ request: Request) async throws -> Response {
    let token = request.parameters[Self.place]
    if request.method == .options {
      return Response(
        status: 204,
        headers: [
          "Tus-Version": Self.version, "Tus-Extension": "creation,expiration,termination",
          "Tus-Max-Size": "\(limit.bytes)",
        ])
    }
    guard request.headers["tus-resumable"] == Self.version else {
      throw HTTPError(412, "This address speaks version \(Self.version) of tus.")
    }
    let desk = try uploads.desk()
    switch (request.method, token) {
    case (.post, nil): return try await create(request, desk)
    case (.post, let address?) where finished == nil:
      guard let grant = uploads.grant(address, to: request.visitor) else {
        throw HTTPError(404, "Nothing is sent to this address now; connect again.")
      }
      return try await create(request, desk, grant)
    case (.head, let token?): return try await tell(token, request, desk)
    case (.patch, let token?): return try await append(token, request, desk)
    case (.delete, let token?):
      try await desk.cancel(token, at: Self.start(of: request), from: sender(of: request))
      return Response(status: 204)
    default: throw HTTPError(405, "This address does not take this method.")
    }
  }

  private func create(_ request: Request, _ desk: UploadDesk, _ grant: Uploads.Grant? = nil) async throws
    -> Response
  {
    guard let length = Self.number(request.headers["upload-length"]) else {
      throw HTTPError(400, "An upload says its Upload-Length when it begins.")
    }
    guard length > 0 else { throw HTTPError(400, "A file has at least one byte.") }
    let limit = grant?.bytes ?? limit.bytes
    guard length <= limit else { throw HTTPError(413, "A file may have \(limit) bytes here.") }
    let metadata = request.headers["upload-metadata"] ?? ""
    guard metadata.utf8.count <= Self.maxMetadataBytes, UploadMetadata(metadata) != nil else {
      throw HTTPError(
        400,
        "Upload-Metadata is a list of names, each with a value in base64, and has at most "
          + "\(Self.maxMetadataBytes) bytes.")
    }
    let path = grant == nil ? request.path : Self.start(of: request)
    var record = UploadRecord(route: path, length: length, metadata: metadata)
    (record.control, record.place, record.types) = (grant?.control, grant?.place, grant?.types)
    let (token, expires) = try await desk.begin(record, from: sender(of: request, grant?.control.visitor))
    let place = RouteAnswer.encoded(path, keeping: "/") + "/\(token)"
    return Response(status: 201, headers: ["Location": place, "Upload-Expires": Self.date(expires)])
  }

  private func tell(_ token: String, _ request: Request, _ desk: UploadDesk) async throws -> Response {
    let progress = try await desk.progress(token, at: Self.start(of: request), from: sender(of: request))
    // The server was killed, or the program failed, when the last byte had arrived.
    if progress.isComplete { try await give(progress, to: request, desk) }
    var response = Response(status: 200, headers: Self.fields(of: progress))
    response.headers["Upload-Length"] = "\(progress.record.length)"
    if !progress.record.metadata.isEmpty { response.headers["Upload-Metadata"] = progress.record.metadata }
    return response
  }

  private func append(_ token: String, _ request: Request, _ desk: UploadDesk) async throws -> Response {
    guard request.headers["content-type"] == "application/offset+octet-stream" else {
      throw HTTPError(415, "The bytes of an upload are of type application/offset+octet-stream.")
    }
    guard let offset = Self.number(request.headers["upload-offset"]) else {
      throw HTTPError(400, "A part of an upload says its Upload-Offset.")
    }
    let count = Self.number(request.headers["content-length"]) ?? request.body.count
    let ticket = try await desk.resume(
      token, at: Self.start(of: request), from: sender(of: request), offset: offset, count: count,
      types: types)
    if let arriving = request.arriving {
      while let piece = try await Self.next(of: arriving) { try await desk.append(piece, by: ticket) }
    } else if !request.body.isEmpty {
      try await desk.append(request.body, by: ticket)
    }
    let progress = try await desk.progress(by: ticket)
    if progress.isComplete { try await give(progress, to: request, desk) }
    return Response(status: 204, headers: Self.fields(of: progress))
  }

  /// The next bytes; what has arrived before a connection ends is kept, and nobody hears the answer.
  private static func next(of body: HTTPBody) async throws(HTTPError) -> [UInt8]? {
    do { return try await body.next() } catch {
      throw HTTPError(408, "The rest of the bytes did not arrive.")
    }
  }

  /// Gives a complete file to the program, which takes it or leaves it, or keeps it for its control.
  private func give(_ progress: UploadDesk.Progress, to request: Request, _ desk: UploadDesk) async throws {
    guard finished == nil else { return try await look(at: progress, for: request, desk) }
    // A large file takes longer than a request may: who asks next hears what became of it.
    try await Task.detached { try await look(at: progress, for: request, desk) }.value
  }

  private func look(at progress: UploadDesk.Progress, for request: Request, _ desk: UploadDesk) async throws {
    let (id, record) = (progress.id, progress.record)
    guard let path = try await desk.beginTaking(id) else { return }
    var outcome = UploadDesk.Outcome.failed
    let result: Result<Void, any Error>
    do {
      var hash = Cryptography.SHA256()
      var head: [UInt8] = []
      var offset = 0
      while offset < record.length {
        let piece = try await desk.bytes(of: id, at: offset, Self.hashedBytes)
        guard !piece.isEmpty else { throw UploadFailure("has become shorter") }
        if offset == 0 { head = Array(piece.prefix(FileType.headBytes)) }
        hash.add(piece)
        offset += piece.count
        try Task.checkCancellation()
      }
      let contents = UploadRecord.Contents(
        type: FileType.type(of: head, name: record.name), sha256: Hexadecimal.digits(hash.hash()))
      // Looked at while they arrived, too; but a full disk or a kill may have come between the bytes and that look.
      try UploadDesk.check(contents.type, for: record.types ?? types)
      outcome = .arrived(contents)
      if let finished {
        outcome = .failed
        let file = UploadedFile(
          at: path, name: record.name, type: contents.type, size: record.length, sha256: contents.sha256,
          id: id)
        try await finished(file, request)
        outcome = .taken
      }
      result = .success(())
    } catch {
      result = .failure(error)
      if error is HTTPError || error is Denied { outcome = .refused }
    }
    try await desk.endTaking(id, outcome)
    try result.get()
  }

  /// Who sends a request: it counts against the identity and against the address, which has more.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - visitor: Whose page it comes from, where requests do not tell.
  /// - Returns: The sender.
  private func sender(of request: Request, _ visitor: String? = nil) -> UploadDesk.Sender {
    let identity = (request.visitor.id ?? visitor).map { [Peer.identity($0)] } ?? []
    return .init(owner: request.visitor.id, peers: identity + request.peers)
  }

  private static func fields(of progress: UploadDesk.Progress) -> [String: String] {
    var fields = ["Upload-Offset": "\(progress.offset)"]
    if let expires = progress.expires, !progress.isComplete { fields["Upload-Expires"] = date(expires) }
    return fields
  }

  // MARK: - Words of the protocol

  /// The place of an upload in the path.
  static let place = "upload"

  /// The path at which an upload was begun.
  private static func start(of request: Request) -> String {
    let end = request.path.lastIndex(of: "/") ?? request.path.startIndex
    return String(request.path[..<end])
  }

  /// A number of digits alone.
  private static func number(_ text: String?) -> Int? {
    guard let text, !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
    else {
      return nil
    }
    return Int(text) ?? .max
  }

  /// A moment as HTTP has it (RFC 9110, section 5.6.7).
  private static func date(_ seconds: Double) -> String {
    Timestamp(secondsSince1970: seconds).httpDate
  }
}
