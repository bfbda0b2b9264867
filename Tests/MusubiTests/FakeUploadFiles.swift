// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiServer
import Synchronization
import Testing

@testable import Musubi

/// Uploads without a disk: what a process that is killed leaves is there for the next one.
final class FakeUploadFiles: UploadFiles {
  struct File {
    var record: UploadRecord?
    var bytes: [UInt8]?
    var changed: Double
  }

  private struct State {
    var files: [String: File] = [:]
    var now = 1_000_000.0
    var isFull = false
    var isReadOnly = false
    var syncFailure: UploadFailure?
  }

  private let state = Mutex(State())

  var now: Double {
    get { state.withLock(\.now) }
    set { state.withLock { $0.now = newValue } }
  }

  var isFull: Bool {
    get { state.withLock(\.isFull) }
    set { state.withLock { $0.isFull = newValue } }
  }

  var isReadOnly: Bool {
    get { state.withLock(\.isReadOnly) }
    set { state.withLock { $0.isReadOnly = newValue } }
  }

  /// The next attempt to have a file on the disk fails.
  func failSync(_ reason: Int32 = EIO) {
    state.withLock { $0.syncFailure = UploadFailure("cannot be written", reason) }
  }

  var kept: [String: File] { state.withLock(\.files) }

  private func change(_ id: String, _ work: (inout File) -> Void) {
    state.withLock { state in
      work(&state.files[id, default: File(changed: state.now)])
      state.files[id]?.changed = state.now
    }
  }

  func all() -> [String] { kept.keys.sorted() }
  func record(of id: String) -> UploadRecord? { kept[id]?.record }
  func keep(_ record: UploadRecord, of id: String) throws(UploadFailure) {
    guard !isFull else { throw UploadFailure("cannot be written", ENOSPC) }
    change(id) { $0.record = record }
  }
  func begin(_ id: String) { change(id) { $0.bytes = [] } }
  func size(of id: String) -> Int? { kept[id]?.bytes?.count }
  func changed(_ id: String) -> Double? { kept[id]?.changed }

  func append(_ bytes: [UInt8], to id: String, at offset: Int) throws(UploadFailure) {
    guard !isFull else { throw UploadFailure("cannot be written", ENOSPC) }
    change(id) { $0.bytes = ($0.bytes ?? []).prefix(offset) + bytes }
  }

  func bytes(of id: String, at offset: Int, _ most: Int) -> [UInt8] {
    Array((kept[id]?.bytes ?? []).dropFirst(offset).prefix(most))
  }

  func sync(_ id: String) throws(UploadFailure) {
    let failure = state.withLock { state in
      defer { state.syncFailure = nil }
      return state.syncFailure
    }
    if let failure { throw failure }
  }
  func touch(_ id: String) { if kept[id]?.bytes != nil { change(id) { _ in } } }
  func path(of id: String) -> String { id }

  func remove(_ id: String) throws(UploadFailure) {
    guard !isReadOnly else { throw UploadFailure("cannot be deleted", EROFS) }
    state.withLock { $0.files[id] = nil }
  }

  func removeBytes(_ id: String) throws(UploadFailure) {
    guard !isReadOnly else { throw UploadFailure("cannot be deleted", EROFS) }
    take(id)
  }

  /// Somebody moves the file.
  func take(_ id: String) { state.withLock { $0.files[id]?.bytes = nil } }
}

/// What a program has been given, and what it does with it.
final class UploadProgram: Sendable {
  private struct State {
    var files: [UploadedFile] = []
    var problem: (any Error)?
  }

  private let state = Mutex(State())

  var files: [UploadedFile] { state.withLock(\.files) }

  func fail(_ problem: (any Error)?) { state.withLock { $0.problem = problem } }

  func finish(_ file: UploadedFile) throws {
    try state.withLock { state in
      state.files.append(file)
      if let problem = state.problem { throw problem }
    }
  }
}

let pngMark: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

/// A client of the protocol, without a connection.
struct UploadClient {
  let files: FakeUploadFiles
  let program: UploadProgram
  let route: UploadRoute

  init(
    _ files: FakeUploadFiles = FakeUploadFiles(), _ program: UploadProgram = UploadProgram(),
    to limit: FileSize = .kilobytes(1),
    types: [String] = ["*/*"], limits: UploadLimits = UploadLimits()
  ) throws {
    (self.files, self.program) = (files, program)
    let desk = try UploadDesk(files: files, limits: limits, clock: { files.now })
    route = UploadRoute(limit: limit, types: types, uploads: Uploads(desk)) { file, _ in
      try program.finish(file)
    }
  }

  func ask(
    _ method: Request.Method, _ path: String = "/files", _ headers: [String: String] = [:],
    version: String? = "1.0.0", as visitor: String? = nil, from address: String = "192.0.2.1",
    body: [UInt8] = []
  ) async throws -> Response {
    var headers = headers
    headers["tus-resumable"] = version
    var request = Request(method, path, headers: headers, remoteAddress: address, body: body)
    request.visitor = Visitor(id: visitor)
    request.peers = IPAddress(address)?.peers ?? []
    if path != "/files", method != .post {
      request.parameters["upload"] = String(path.split(separator: "/").last ?? "")
    }
    return try await route.answer(request)
  }

  /// Begins an upload.
  func begin(_ count: Int, name: String? = nil, as visitor: String? = nil, from address: String = "192.0.2.1")
    async throws -> Response
  {
    var headers = ["upload-length": "\(count)"]
    if let name { headers["upload-metadata"] = "filename " + Data(name.utf8).base64EncodedString() }
    return try await ask(.post, "/files", headers, as: visitor, from: address)
  }

  /// The address of a new upload.
  func place(_ count: Int, name: String? = nil, as visitor: String? = nil) async throws -> String {
    try #require(try await begin(count, name: name, as: visitor).headers["Location"])
  }

  func send(_ bytes: [UInt8], at offset: Int, to place: String, as visitor: String? = nil) async throws
    -> Response
  {
    try await ask(
      .patch, place, ["upload-offset": "\(offset)", "content-type": "application/offset+octet-stream"],
      as: visitor, body: bytes)
  }
}
