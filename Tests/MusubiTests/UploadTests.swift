// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiServer
import Synchronization
import Testing

@testable import Musubi

/// Uploads without a disk: what a process that is killed leaves is there for the next one.
private final class FakeFiles: UploadFiles {
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
  func failSync() { state.withLock { $0.syncFailure = UploadFailure("cannot be written", EIO) } }

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
private final class Program: Sendable {
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

private let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

/// A client of the protocol, without a connection.
private struct Client {
  let files: FakeFiles
  let program: Program
  let route: UploadRoute

  init(
    _ files: FakeFiles = FakeFiles(), _ program: Program = Program(), to limit: FileSize = .kilobytes(1),
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

@Suite(.timeLimit(.minutes(5))) struct `Uploads by tus` {
  @Test func `arrive in pieces, and reach the program once, with what they are`() async throws {
    let client = try Client()
    let begun = try await client.begin(11, name: "../te\u{7}a\\list.csv")
    let place = try #require(begun.headers["Location"])
    let first = try await client.send(Array("a,b\r\n".utf8), at: 0, to: place)
    let asked = try await client.ask(.head, place)
    #expect(client.program.files.isEmpty)
    let last = try await client.send(Array("1,2\r\n ".utf8), at: 5, to: place)
    let again = try await client.ask(.head, place)

    #expect(begun.status == 201 && begun.headers["Tus-Resumable"] == "1.0.0")
    #expect(place.hasPrefix("/files/") && place.count == 39)
    #expect(first.status == 204 && first.headers["Upload-Offset"] == "5")
    #expect(first.headers["Upload-Expires"] == "Tue, 13 Jan 1970 13:46:40 GMT")
    #expect(
      asked.status == 200 && asked.headers["Upload-Offset"] == "5" && asked.headers["Upload-Length"] == "11")
    #expect(asked.headers["Upload-Metadata"]?.hasPrefix("filename ") == true)
    #expect(asked.headers["Cache-Control"] == nil, "The server says no-store where nothing is said.")
    #expect(
      last.status == 204 && last.headers["Upload-Offset"] == "11" && last.headers["Upload-Expires"] == nil)
    #expect(again.headers["Upload-Offset"] == "11")
    let file = try #require(client.program.files.first)
    #expect(client.program.files.count == 1)
    #expect(file.name == "list.csv" && file.type == "text/csv" && file.size == 11)
    #expect(file.sha256 == "056b8db96b5c0a091a2cec4ebaf7aabd8f0cefe6de50d67b9fa744a779bced88")
    // It was not taken.
    #expect(client.files.kept[file.id]?.bytes == nil && client.files.kept[file.id]?.record?.isDone == true)
  }

  @Test func `go on only where the server's bytes end`() async throws {
    let client = try Client()
    let place = try await client.place(10)
    _ = try await client.send([1, 2, 3], at: 0, to: place)
    let behind = try await client.send([4], at: 2, to: place)
    let ahead = try await client.send([4], at: 4, to: place)
    let unknown = try await client.ask(
      .patch, place, ["content-type": "application/offset+octet-stream"], body: [4])
    let tooMany = try await client.send([UInt8](repeating: 4, count: 8), at: 3, to: place)
    let asked = try await client.ask(.head, place)

    #expect(behind.status == 409 && ahead.status == 409 && unknown.status == 400 && tooMany.status == 413)
    #expect(asked.headers["Upload-Offset"] == "3")
  }

  @Test func `are begun as the protocol says`() async throws {
    let client = try Client()
    func begin(_ headers: [String: String], version: String? = "1.0.0") async throws -> Response {
      try await client.ask(.post, "/files", headers, version: version)
    }
    let other = try await begin(["upload-length": "1"], version: "0.2.2")
    let options = try await client.ask(.options, version: nil)

    #expect(try await begin(["upload-length": "1024"]).status == 201)
    #expect(try await begin(["upload-length": "1025"]).status == 413)
    #expect(try await begin(["upload-length": "0"]).status == 400)
    #expect(try await begin(["upload-length": "-1"]).status == 400)
    #expect(try await begin(["upload-defer-length": "1"]).status == 400)
    #expect(try await begin(["upload-length": "1", "upload-metadata": "filename %%%"]).status == 400)
    #expect(
      try await begin(["upload-length": "1", "upload-metadata": "filename dGVh,isDraft"]).status == 201)
    #expect(other.status == 412 && other.headers["Tus-Version"] == "1.0.0")
    #expect(try await begin(["upload-length": "1"], version: nil).status == 412)
    #expect(options.status == 204 && options.headers["Tus-Max-Size"] == "1024")
    #expect(options.headers["Tus-Extension"] == "creation,expiration,termination")
    let place = try await client.place(1)
    #expect(try await client.ask(.patch, place, ["upload-offset": "0"], body: [1]).status == 415)
    #expect(try await client.ask(.get, place).status == 405)
  }

  @Test func `are of a type by their bytes, whatever they are called`() async throws {
    let client = try Client(types: ["image/*"])
    let fake = try await client.place(600, name: "tea.png")
    let first = try await client.send([UInt8](repeating: 65, count: 511), at: 0, to: fake)
    let second = try await client.send([65], at: 511, to: fake)
    let real = try await client.place(9, name: "tea.txt")
    let image = try await client.send(png + [0], at: 0, to: real)

    #expect(first.status == 204)
    #expect(second.status == 415, "It is refused before the rest arrives.")
    #expect(second.text.contains("text/plain"))
    #expect(try await client.ask(.head, fake).status == 404)
    #expect(image.status == 204)
    #expect(client.program.files.map(\.type) == ["image/png"])
  }

  @Test func `are their sender's alone`() async throws {
    let client = try Client()
    let place = try await client.place(2, as: "ann")

    #expect(try await client.send([1], at: 0, to: place, as: "bob").status == 404)
    #expect(try await client.send([1], at: 0, to: place).status == 404)
    #expect(try await client.ask(.head, place, as: "bob").status == 404)
    #expect(try await client.ask(.delete, place, as: "bob").status == 404)
    let elsewhere = place.replacing("/files/", with: "/others/")
    #expect(try await client.send([1], at: 0, to: elsewhere, as: "ann").status == 404)
    #expect(try await client.send([1], at: 0, to: place, as: "ann").status == 204)
  }

  @Test func `end when their sender says so`() async throws {
    let client = try Client()
    let place = try await client.place(2)
    _ = try await client.send([1], at: 0, to: place)
    let ended = try await client.ask(.delete, place)

    #expect(ended.status == 204 && ended.headers["Tus-Resumable"] == "1.0.0")
    #expect(client.files.kept.isEmpty)
    #expect(try await client.send([1], at: 1, to: place).status == 404)
  }

  @Test func `are deleted when nobody goes on with them`() async throws {
    let client = try Client()
    let place = try await client.place(2)
    client.files.now += 86_399
    #expect(try await client.send([1], at: 0, to: place).status == 204)
    client.files.now += 86_399
    #expect(try await client.ask(.head, place).status == 200)
    client.files.now += 1
    #expect(try await client.send([1], at: 1, to: place).status == 410)
    #expect(client.files.kept.isEmpty)
    // Also if nobody asks for them again.
    _ = try await client.place(2)
    client.files.now += 86_400
    _ = try await client.place(2)
    #expect(client.files.kept.count == 1)
  }

  @Test func `go on after a kill, and leave nothing behind`() async throws {
    let client = try Client()
    let place = try await client.place(4)
    _ = try await client.send([1, 2], at: 0, to: place)
    client.files.begin("orphan")
    client.files.now += 61
    client.files.begin("young")
    let next = try Client(client.files)

    #expect(try await next.ask(.head, place).headers["Upload-Offset"] == "2")
    #expect(try await next.send([3, 4], at: 2, to: place).status == 204)
    #expect(next.program.files.map(\.size) == [4])
    #expect(client.files.kept["orphan"] == nil && client.files.kept["young"] != nil)
  }

  @Test func `reach the program after a kill between the last byte and its answer`() async throws {
    let client = try Client()
    let place = try await client.place(2)
    client.program.fail(CancellationError())
    await #expect(throws: CancellationError.self) { try await client.send([1, 2], at: 0, to: place) }
    let id = try #require(client.program.files.first?.id)

    // Killed before the file was taken: it comes again, as the same.
    let second = try Client(client.files)
    #expect(try await second.ask(.head, place).headers["Upload-Offset"] == "2")
    #expect(second.program.files.map(\.id) == [id])
  }

  @Test func `that were taken before a kill do not come again`() async throws {
    let client = try Client()
    let place = try await client.place(2)
    client.program.fail(CancellationError())
    await #expect(throws: CancellationError.self) { try await client.send([1, 2], at: 0, to: place) }
    client.files.take(try #require(client.program.files.first?.id))

    let second = try Client(client.files)
    #expect(try await second.ask(.head, place).headers["Upload-Offset"] == "2")
    #expect(second.program.files.isEmpty)
  }

  @Test func `that the program refuses are deleted`() async throws {
    let client = try Client()
    let place = try await client.place(2)
    client.program.fail(HTTPError(422, "No picture of tea."))
    let refused = try await client.send([1, 2], at: 0, to: place)

    #expect(refused.status == 422 && refused.text == "No picture of tea.\n")
    #expect(client.files.kept.isEmpty)
  }

  @Test func `belong to the request that asked last, at any of the servers that share a folder`() async throws
  {
    let files = FakeFiles()
    func desk() throws -> UploadDesk { try UploadDesk(files: files, isShared: true, clock: { files.now }) }
    let (first, second) = (try desk(), try desk())
    let record = UploadRecord(route: "/files", length: 4, metadata: "")
    let token = try await first.begin(record, from: .init()).token
    let old = try await first.resume(token, at: "/files", from: .init(), offset: 0, count: 4, types: ["*/*"])
    try await first.append([1], by: old)
    let new = try await second.resume(token, at: "/files", from: .init(), offset: 1, count: 3, types: ["*/*"])
    try await second.append([2, 3], by: new)

    await #expect(throws: HTTPError(409, "Another request goes on with this upload.")) {
      try await first.append([2], by: old)
    }
    #expect(try await first.progress(token, at: "/files", from: .init()).offset == 3)
    try await second.cancel(token, at: "/files", from: .init())
    await #expect(throws: HTTPError(404, "There is no such upload.")) {
      try await first.progress(token, at: "/files", from: .init())
    }
  }

  @Test func `for a control are found at a server that has not received them`() async throws {
    let files = FakeFiles()
    func desk() throws -> UploadDesk { try UploadDesk(files: files, isShared: true, clock: { files.now }) }
    let (first, second) = (try desk(), try desk())
    let control = FileControl(screen: "studio", room: nil, input: "file", visitor: nil)
    var record = UploadRecord(route: "/files", length: 1, metadata: "")
    record.control = control
    let token = try await first.begin(record, from: .init()).token
    let ticket = try await first.resume(
      token, at: "/files", from: .init(), offset: 0, count: 1, types: ["*/*"])
    try await first.append([7], by: ticket)
    let id = UploadDesk.id(of: token)
    #expect(throws: BindingError.self) { try second.arrived.file(id, for: control, by: "s/1") }
    _ = try await first.beginTaking(id)
    try await first.endTaking(id, .arrived(.init(type: "text/plain", sha256: "0")))

    var file: UploadedFile? = try second.arrived.file(id, for: control, by: "s/1")
    #expect(file?.sha256 == "0")
    #expect(throws: BindingError.self) { try second.arrived.file(id, for: control, by: "s/2") }
    file = nil
    files.now += 61
    await second.sweep()
    #expect(await second.takeProblems() == [])
    #expect(files.record(of: id)?.isDone == true)
  }

  @Test func `that cannot be deleted when their time is over are told, and deleted later`() async throws {
    let files = FakeFiles()
    let desk = try UploadDesk(files: files, clock: { files.now })
    let record = UploadRecord(route: "/files", length: 4, metadata: "")
    let token = try await desk.begin(record, from: .init()).token
    files.isReadOnly = true
    files.now += 86_401
    // A sweep that another upload brings about tells as well.
    _ = try await desk.begin(record, from: .init())

    let told = [UploadFailure("cannot be deleted", EROFS)]
    #expect(await desk.takeProblems() == told)
    #expect(await desk.takeProblems() == [])
    await desk.sweep()
    #expect(await desk.takeProblems() == told, "It is tried again.")
    await #expect(throws: HTTPError(410, "This upload is gone; begin again.")) {
      try await desk.progress(token, at: "/files", from: .init())
    }
    files.isReadOnly = false
    await desk.sweep()
    #expect(await desk.takeProblems() == [])
    #expect(files.kept.count == 1, "The newer one is there.")
  }

  @Test func `that another server has received and nobody can know are told`() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "uploads-" + UUID().uuidString).path
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
    let desk = try UploadDesk(files: try UploadFolder(path), isShared: true, clock: { 0 })
    try Data("no record".utf8).write(to: URL(filePath: path + "/a.json"))
    let control = FileControl(screen: "studio", room: nil, input: "file", visitor: nil)

    #expect(throws: BindingError.unknownUpload) { try desk.arrived.file("a", for: control, by: "s/1") }
    let told = await desk.takeProblems()
    #expect(told.map { $0.description.contains("a.json") } == [true])
    #expect(await desk.takeProblems() == [])
  }

  @Test func `belong to the request that asked last`() async throws {
    let files = FakeFiles()
    let desk = try UploadDesk(files: files, clock: { files.now })
    let record = UploadRecord(route: "/files", length: 4, metadata: "")
    let token = try await desk.begin(record, from: .init()).token
    let old = try await desk.resume(token, at: "/files", from: .init(), offset: 0, count: 4, types: ["*/*"])
    try await desk.append([1], by: old)
    // A client that was cut off asks where to go on, while the server still has bytes of the former connection.
    let progress = try await desk.progress(token, at: "/files", from: .init())
    #expect(progress.offset == 1)
    await #expect(throws: HTTPError(409, "Another request goes on with this upload.")) {
      try await desk.append([2], by: old)
    }
    #expect(try await desk.progress(by: old).offset == 1)
  }

  @Test func `are bounded for each sender, and for all`() async throws {
    let limits = UploadLimits(uploadsPerPeer: 2, bytesPerPeer: 1_000, bytes: 5_500, addressFactor: 2)
    let client = try Client(to: .kilobytes(2), limits: limits)
    func begin(_ count: Int, as visitor: String? = nil, from number: Int) async throws -> Response {
      try await client.begin(count, as: visitor, from: "192.0.2.\(number)")
    }

    let first = try #require(try await begin(400, as: "ann", from: 1).headers["Location"])
    #expect(try await begin(601, as: "ann", from: 1).status == 429)
    #expect(try await begin(600, as: "ann", from: 2).status == 201)
    let third = try await begin(1, as: "ann", from: 3)
    #expect(third.status == 429 && third.headers["Retry-After"] == "60", "Whoever it is, from wherever.")
    // An address has twice as much, and all who come from it have that together.
    #expect(try await begin(1_000, as: "bob", from: 1).status == 201)
    #expect(try await begin(601, as: "carl", from: 1).status == 429)
    #expect(try await begin(1, as: "carl", from: 1).status == 201)
    #expect(try await begin(1, from: 1).status == 201)
    #expect(try await begin(1, as: "dora", from: 1).status == 429, "These are four.")
    #expect(try await begin(2_000, from: 4).status == 201)
    #expect(try await begin(1_001, as: "emil", from: 5).status == 429)
    #expect(try await begin(1_600, from: 5).status == 507)
    // What has arrived, or was cancelled, makes room.
    _ = try await client.send([UInt8](repeating: 1, count: 400), at: 0, to: first, as: "ann")
    #expect(try await begin(400, as: "ann", from: 1).status == 201)
  }

  @Test func `of somebody at an IPv6 address count against its networks`() async throws {
    let limits = UploadLimits(uploadsPerPeer: 1, bytesPerPeer: 1_000, bytes: 1 << 20, addressFactor: 2)
    let client = try Client(limits: limits)
    func begin(_ network: Int) async throws -> Int {
      try await client.begin(1, from: "2001:db9:0:\(network)::1").status
    }

    for network in 0..<8 { for _ in 0..<2 { #expect(try await begin(network) == 201) } }
    #expect(try await begin(0) == 429)
    #expect(try await begin(8) == 429, "Sixteen are what the /48 has.")
    #expect(try await client.begin(1, from: "2001:db9:1::1").status == 201)
  }

  @Test func `whose record cannot be kept behind the last byte are complete when it can`() async throws {
    let files = FakeFiles()
    let desk = try UploadDesk(files: files, clock: { files.now })
    var record = UploadRecord(route: "/files", length: 1, metadata: "")
    record.control = FileControl(screen: "studio", room: nil, input: "file", visitor: nil)
    let token = try await desk.begin(record, from: .init()).token
    let ticket = try await desk.resume(
      token, at: "/files", from: .init(), offset: 0, count: 1, types: ["*/*"])
    try await desk.append([7], by: ticket)
    let id = UploadDesk.id(of: token)
    let contents = UploadRecord.Contents(type: "text/plain", sha256: "0")
    #expect(try await desk.beginTaking(id) == id)
    files.isFull = true
    await #expect(throws: HTTPError(507, "The server's disk is full.", retryAfter: 600)) {
      try await desk.endTaking(id, .arrived(contents))
    }

    #expect(try await desk.progress(token, at: "/files", from: .init()).isComplete, "It is looked at again.")
    files.isFull = false
    #expect(try await desk.beginTaking(id) == id)
    try await desk.endTaking(id, .arrived(contents))
    let control = try #require(record.control)
    #expect(throws: Never.self) { try desk.arrived.file(id, for: control, by: "s/1") }
  }

  @Test func `that the disk does not have are gone, since another try would say that it has them`()
    async throws
  {
    let files = FakeFiles()
    let desk = try UploadDesk(files: files, clock: { files.now })
    let record = UploadRecord(route: "/files", length: 1, metadata: "")
    let token = try await desk.begin(record, from: .init()).token
    let ticket = try await desk.resume(
      token, at: "/files", from: .init(), offset: 0, count: 1, types: ["*/*"])
    try await desk.append([7], by: ticket)
    files.failSync()

    await #expect(throws: UploadFailure("cannot be written", EIO)) {
      try await desk.beginTaking(UploadDesk.id(of: token))
    }
    await #expect(throws: HTTPError(404, "There is no such upload.")) {
      try await desk.progress(token, at: "/files", from: .init())
    }
    #expect(files.kept.isEmpty)
  }

  @Test func `that were taken before a restart leave room for others`() async throws {
    let files = FakeFiles()
    let limits = UploadLimits(uploadsPerPeer: 1, addressFactor: 1)
    func desk() throws -> UploadDesk { try UploadDesk(files: files, limits: limits, clock: { files.now }) }
    let sender = UploadDesk.Sender(owner: "ann", peers: IPAddress("192.0.2.1")?.peers ?? [])
    var record = UploadRecord(route: "/files", length: 1, metadata: "")
    record.control = FileControl(screen: "studio", room: nil, input: "file", visitor: "ann")
    let first = try desk()
    let token = try await first.begin(record, from: sender).token
    let ticket = try await first.resume(
      token, at: "/files", from: sender, offset: 0, count: 1, types: ["*/*"])
    try await first.append([7], by: ticket)
    let id = UploadDesk.id(of: token)
    _ = try await first.beginTaking(id)
    try await first.endTaking(id, .arrived(.init(type: "text/plain", sha256: "0")))
    await #expect(throws: HTTPError.self) { try await desk().begin(record, from: sender) }
    files.take(id)

    #expect(try await desk().begin(record, from: sender).token.isEmpty == false)
  }

  @Test func `that somebody holds live on where another server sweeps, and those of a gone server do not`()
    async throws
  {
    let files = FakeFiles()
    func desk() throws -> UploadDesk { try UploadDesk(files: files, isShared: true, clock: { files.now }) }
    let holder = try desk()
    let (receiver, gone) = (try desk(), try desk())
    let control = FileControl(screen: "studio", room: nil, input: "file", visitor: nil)
    var record = UploadRecord(route: "/files", length: 1, metadata: "")
    record.control = control
    let token = try await receiver.begin(record, from: .init()).token
    let ticket = try await receiver.resume(
      token, at: "/files", from: .init(), offset: 0, count: 1, types: ["*/*"])
    try await receiver.append([7], by: ticket)
    let id = UploadDesk.id(of: token)
    _ = try await receiver.beginTaking(id)
    try await receiver.endTaking(id, .arrived(.init(type: "text/plain", sha256: "0")))
    let file = try holder.arrived.file(id, for: control, by: "s/1")
    _ = try await gone.begin(record, from: .init())
    #expect(files.kept.count == 2)

    for _ in 0..<30 {
      files.now += 3_600
      await holder.sweep()
      await receiver.sweep()
    }

    #expect(Array(files.kept.keys) == [id], "More than a day has gone.")
    #expect(files.kept[id]?.bytes == [7])
    #expect(file.size == 1)
  }

  @Test func `have addresses that a browser can ask for again`() async throws {
    let client = try Client()
    let headers = ["upload-length": "1"]
    let begun = try await client.ask(.post, "/albums/猫 100%?#", headers)

    let place = try #require(begun.headers["Location"])
    #expect(place.hasPrefix("/albums/%E7%8C%AB%20100%25%3F%23/"))
    let token = try #require(place.split(separator: "/").last)
    #expect(try await client.ask(.head, "/albums/猫 100%?#/\(token)").status == 200)
  }

  @Test(arguments: [
    String(repeating: "長", count: 240) + ".csv", String(repeating: "x", count: 190) + ".tar.gz.csv",
  ])
  func `keep the end of a long name`(name: String) async throws {
    let client = try Client(types: ["text/csv"])
    let place = try await client.place(8, name: name)
    let sent = try await client.send(Array("a,b\r\n1,2".utf8.prefix(8)), at: 0, to: place)

    #expect(sent.status == 204)
    let kept = try #require(client.program.files.first?.name)
    #expect(kept.unicodeScalars.count == 200 && kept.hasSuffix(".csv") && kept.hasPrefix(name.prefix(150)))
    let download = DownloadName(name).disposition
    #expect(download.hasSuffix(".csv\"") || download.hasSuffix(".csv"))
  }

  @Test func `tell which methods their addresses take`() async throws {
    let client = try Client()
    let refused = try await client.ask(.get, try await client.place(1))
    #expect(refused.status == 405 && refused.headers["Allow"] == "DELETE, HEAD, PATCH")
  }

  @Test func `wait for room on the disk`() async throws {
    let client = try Client()
    let place = try await client.place(2)
    client.files.isFull = true
    let full = try await client.send([1], at: 0, to: place)
    client.files.isFull = false

    #expect(full.status == 507 && full.headers["Retry-After"] == "600")
    #expect(try await client.send([1, 2], at: 0, to: place).status == 204)
  }
}

@Suite struct `Types of files` {
  @Test(arguments: [
    ("image/png", png), ("image/jpeg", [0xFF, 0xD8, 0xFF, 0xE0]), ("image/gif", Array("GIF89a..".utf8)),
    ("image/webp", Array("RIFF1234WEBPVP8 ".utf8)),
    ("application/octet-stream", Array("RIFF1234WAVE".utf8) + [0]),
    ("application/pdf", Array("%PDF-1.7".utf8)), ("application/zip", [0x50, 0x4B, 3, 4]),
    ("text/plain", Array("<html>".utf8)), ("text/plain", Array("茶\t1\n".utf8)),
    ("application/octet-stream", [0x41, 0]), ("application/octet-stream", [0xC3, 0x28]),
    ("application/octet-stream", []),
  ])
  func `are told by their first bytes`(type: String, head: [UInt8]) {
    #expect(FileType.type(of: head, name: "x") == type)
  }

  @Test func `may be cut within a character`() {
    let head = [UInt8](repeating: 0x41, count: 511) + [0xE8]
    #expect(FileType.type(of: head, name: "x.CSV") == "text/csv")
    #expect(FileType.type(of: Array(head.suffix(10)), name: "x.csv") == "application/octet-stream")
  }

  @Test func `are asked for one by one, or by kind`() {
    #expect(FileType.isOne("image/png", of: ["text/csv", "image/*"]))
    #expect(!FileType.isOne("image/png", of: ["image/jpeg", "imag/*"]))
    #expect(FileType.isOne("x/y", of: ["*/*"]))
    #expect(["image/*", "*/*", "text/csv"].allSatisfy(FileType.isPattern))
    #expect(!["image", "*/png", "image/p*", "Image/png", "/"].contains(where: FileType.isPattern))
  }
}

@Suite(.timeLimit(.minutes(5))) struct `The folder of uploads` {
  private static func folder() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent("uploads-" + UUID().uuidString).path
  }

  private static func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func `is the server's alone, and keeps what was written`() throws {
    let path = Self.folder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
    let files = try UploadFolder(path)
    let record = UploadRecord(route: "/files", owner: "ann", length: 5, metadata: "")
    try files.begin("a")
    try files.keep(record, of: "a")
    try files.append([1, 2, 3], to: "a", at: 0)
    try files.append([4, 5], to: "a", at: 3)
    try files.begin("b")
    let again = try UploadFolder(path)

    #expect(try again.all() == ["a", "b"])
    #expect(try again.record(of: "a") == record && again.record(of: "b") == nil)
    #expect(again.size(of: "a") == 5 && again.size(of: "c") == nil)
    #expect(try again.bytes(of: "a", at: 1, 3) == [2, 3, 4])
    #expect(try Self.mode(path) == 0o700)
    #expect(try Self.mode(files.path(of: "a")) == 0o600)
    #expect(throws: UploadFailure.self) { try files.begin("a") }
    try files.remove("a")
    try files.remove("b")
    try files.remove("b")
    #expect(try again.all().isEmpty)
    try FileManager.default.createDirectory(atPath: files.path(of: "c"), withIntermediateDirectories: false)
    let failure = #expect(throws: UploadFailure.self) { try files.remove("c") }
    #expect(failure?.description.hasPrefix("A file cannot be deleted: ") == true)
  }

  @Test func `keeps an upload whose record cannot be read, and says so`() async throws {
    let path = Self.folder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
    let files = try UploadFolder(path)
    try files.begin("a")
    try Data("no record".utf8).write(to: URL(fileURLWithPath: path + "/a.json"))

    #expect(throws: UploadFailure.self) { _ = try files.record(of: "a") }
    let failure = #expect(throws: UploadFailure.self) {
      _ = try UploadDesk(files: files, clock: { Date().timeIntervalSince1970 + 1_000_000 })
    }
    #expect(failure?.description.contains("a.json") == true)
    #expect(try files.all() == ["a"] && files.size(of: "a") == 0)

    var application = Application()
    application.configuration.uploadFolder = path
    application.uploads("/kept", to: .bytes(10)) { _, _ in }
    let response = await application.respond(
      to: Request(.post, "/kept", headers: ["tus-resumable": "1.0.0", "upload-length": "1"]))
    #expect(response.status == 503 && response.text.contains("a.json"))
  }

  @Test func `of another process that cannot be read is not gone`() async throws {
    let path = Self.folder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
    let files = try UploadFolder(path)
    let desk = try UploadDesk(files: files, clock: { Date().timeIntervalSince1970 })
    try Data("no record".utf8).write(to: URL(fileURLWithPath: path + "/\(UploadDesk.id(of: "token")).json"))

    await #expect(
      throws: HTTPError(503, "The server cannot read what it knows of this upload.", retryAfter: 60)
    ) {
      try await desk.progress("token", at: "/files", from: UploadDesk.Sender())
    }
  }

  @Test func `gives a file away in one step, or deletes it`() async throws {
    let path = Self.folder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
    var application = Application()
    application.configuration.uploadFolder = path
    application.uploads("/kept", to: .bytes(10)) { file, _ in try file.take(to: path + "/kept.txt") }
    application.uploads("/read", to: .bytes(10)) { file, request in
      guard try file.bytes() == Array("tea".utf8), request.visitor.id == nil else {
        throw HTTPError(400, "other")
      }
    }
    for place in ["/kept", "/read"] {
      let headers = ["tus-resumable": "1.0.0", "upload-length": "3"]
      let begun = await application.respond(to: Request(.post, place, headers: headers))
      let upload = try #require(begun.headers["Location"])
      let sent = await application.respond(
        to: Request(
          .patch, upload,
          headers: [
            "tus-resumable": "1.0.0", "upload-offset": "0", "content-type": "application/offset+octet-stream",
          ], body: Array("tea".utf8)))
      #expect(sent.status == 204)
    }

    #expect(try String(contentsOfFile: path + "/kept.txt", encoding: .utf8) == "tea")
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    #expect(names.filter { $0.hasSuffix(".part") }.isEmpty)
    #expect(names.filter { $0.hasSuffix(".json") }.count == 2)
  }

  @Test func `has to be there before the server starts`() {
    var application = Application()
    application.uploads("/files", to: .megabytes(1)) { _, _ in }
    #expect(throws: UploadFailure.self) { try application.uploading.open(application.configuration) }
    application.configuration.uploadFolder = "/nowhere/at/all"
    #expect(throws: UploadFailure.self) { try application.uploading.open(application.configuration) }
  }
}
