// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiServer
import MusubiSession
import Synchronization
import Testing

@testable import Musubi

extension UploadDesk {
  /// Has a file of one byte arrive.
  fileprivate func receive(
    _ record: UploadRecord, from sender: Sender = .init()
  ) async throws -> (token: String, id: String) {
    let token = try begin(record, from: sender).token
    let ticket = try resume(token, at: "/files", from: sender, offset: 0, count: 1, types: ["*/*"])
    try append([7], by: ticket)
    return (token, Self.id(of: token))
  }
}

@Suite(.timeLimit(.minutes(5))) struct `The uploads of a server` {
  @Test func `belong to the request that asked last, at any of the servers that share a folder`() async throws
  {
    let files = FakeUploadFiles()
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
    let files = FakeUploadFiles()
    func desk() throws -> UploadDesk { try UploadDesk(files: files, isShared: true, clock: { files.now }) }
    let (first, second) = (try desk(), try desk())
    let control = FileControl(screen: "studio", room: nil, input: "file", visitor: nil)
    var record = UploadRecord(route: "/files", length: 1, metadata: "")
    record.control = control
    let (_, id) = try await first.receive(record)
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

  @Test func `that have arrived at another server are not taken for left`() async throws {
    let files = FakeUploadFiles()
    let limits = UploadLimits(uploadsPerPeer: 1)
    func desk() throws -> UploadDesk {
      try UploadDesk(files: files, limits: limits, isShared: true, clock: { files.now })
    }
    let (first, second) = (try desk(), try desk())
    let ann = UploadDesk.Sender(owner: "ann", peers: [.identity("ann")])
    let record = UploadRecord(route: "/files", length: 1, metadata: "")
    let (token, id) = try await first.receive(record, from: ann)
    _ = try await second.progress(token, at: "/files", from: ann)
    _ = try await second.beginTaking(id)
    try await second.endTaking(id, .arrived(.init(type: "text/plain", sha256: "0")))
    files.now += 601

    _ = try await first.begin(record, from: ann)
    #expect(files.kept[id]?.bytes == [7])
    await #expect(throws: HTTPError.self, "The second one has not arrived.") {
      try await first.begin(record, from: ann)
    }
  }

  @Test func `that were taken at another server make room for others`() async throws {
    let files = FakeUploadFiles()
    let limits = UploadLimits(uploadsPerPeer: 2, bytesPerPeer: 3)
    func desk() throws -> UploadDesk {
      try UploadDesk(files: files, limits: limits, isShared: true, clock: { files.now })
    }
    let (first, second) = (try desk(), try desk())
    let ann = UploadDesk.Sender(owner: "ann", peers: [.identity("ann")])
    let record = UploadRecord(route: "/files", length: 1, metadata: "")
    for _ in 0..<10 {
      let (token, id) = try await first.receive(record, from: ann)
      _ = try await second.progress(token, at: "/files", from: ann)
      _ = try await second.beginTaking(id)
      try await second.endTaking(id, .arrived(.init(type: "text/plain", sha256: "0")))
      files.take(id)
    }

    _ = try await first.begin(record, from: ann)
  }

  @Test func `that cannot be deleted when their time is over are told, and deleted later`() async throws {
    let files = FakeUploadFiles()
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
    let files = FakeUploadFiles()
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

  @Test func `for a control are looked at to their end, also behind their request's time`() async throws {
    let files = FakeUploadFiles()
    let desk = try UploadDesk(files: files, clock: { files.now })
    let control = FileControl(screen: "studio", room: nil, input: "file", visitor: nil)
    var record = UploadRecord(route: "/files", length: 1, metadata: "")
    record.control = control
    let (token, id) = try await desk.receive(record)
    let route = UploadRoute(limit: .bytes(1), types: ["*/*"], uploads: Uploads(desk), finished: nil)
    var request = Request(
      .head, "/files/\(token)", headers: ["tus-resumable": "1.0.0"], remoteAddress: "192.0.2.1", body: [])
    request.parameters["upload"] = token
    let response = try await Task { [request] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await route.answer(request)
    }.value

    #expect(response.status == 200)
    #expect(try desk.arrived.file(id, for: control, by: "s/1").size == 1)
  }

  @Test func `that the program has had leave a full disk`() async throws {
    let files = FakeUploadFiles()
    let desk = try UploadDesk(files: files, clock: { files.now })
    let (_, id) = try await desk.receive(UploadRecord(route: "/files", length: 1, metadata: ""))
    _ = try await desk.beginTaking(id)
    files.isFull = true

    await #expect(throws: UploadFailure.self) { try await desk.endTaking(id, .taken) }
    #expect(files.kept[id]?.record != nil && files.kept[id]?.bytes == nil)
  }

  @Test func `whose record cannot be kept behind the last byte are complete when it can`() async throws {
    let files = FakeUploadFiles()
    let desk = try UploadDesk(files: files, clock: { files.now })
    var record = UploadRecord(route: "/files", length: 1, metadata: "")
    record.control = FileControl(screen: "studio", room: nil, input: "file", visitor: nil)
    let (token, id) = try await desk.receive(record)
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
    let files = FakeUploadFiles()
    let desk = try UploadDesk(files: files, clock: { files.now })
    let record = UploadRecord(route: "/files", length: 1, metadata: "")
    let (token, id) = try await desk.receive(record)
    // That the process has no descriptor left says nothing about the bytes.
    files.failSync(EMFILE)
    await #expect(throws: UploadFailure("cannot be written", EMFILE)) { try await desk.beginTaking(id) }
    #expect(try await desk.progress(token, at: "/files", from: .init()).isComplete)
    files.failSync()

    await #expect(throws: UploadFailure("cannot be written", EIO)) {
      try await desk.beginTaking(id)
    }
    await #expect(throws: HTTPError(404, "There is no such upload.")) {
      try await desk.progress(token, at: "/files", from: .init())
    }
    #expect(files.kept.isEmpty)
  }

  @Test func `that were taken before a restart leave room for others`() async throws {
    let files = FakeUploadFiles()
    let limits = UploadLimits(uploadsPerPeer: 1, addressFactor: 1)
    func desk() throws -> UploadDesk { try UploadDesk(files: files, limits: limits, clock: { files.now }) }
    let sender = UploadDesk.Sender(owner: "ann", peers: IPAddress("192.0.2.1")?.peers ?? [])
    var record = UploadRecord(route: "/files", length: 1, metadata: "")
    record.control = FileControl(screen: "studio", room: nil, input: "file", visitor: "ann")
    let first = try desk()
    let (_, id) = try await first.receive(record, from: sender)
    _ = try await first.beginTaking(id)
    try await first.endTaking(id, .arrived(.init(type: "text/plain", sha256: "0")))
    await #expect(throws: HTTPError.self) { try await desk().begin(record, from: sender) }
    files.take(id)

    #expect(try await desk().begin(record, from: sender).token.isEmpty == false)
  }

  @Test func `that somebody holds live on where another server sweeps, and those of a gone server do not`()
    async throws
  {
    let files = FakeUploadFiles()
    func desk() throws -> UploadDesk { try UploadDesk(files: files, isShared: true, clock: { files.now }) }
    let holder = try desk()
    let (receiver, gone) = (try desk(), try desk())
    let control = FileControl(screen: "studio", room: nil, input: "file", visitor: nil)
    var record = UploadRecord(route: "/files", length: 1, metadata: "")
    record.control = control
    let (_, id) = try await receiver.receive(record)
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
}
