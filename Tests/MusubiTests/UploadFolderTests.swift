// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiServer
import Synchronization
import Testing

@testable import Musubi

@Suite struct `Types of files` {
  @Test(arguments: [
    ("image/png", pngMark), ("image/jpeg", [0xFF, 0xD8, 0xFF, 0xE0]),
    ("image/gif", Array("GIF89a..".utf8)),
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

  @Test(
    arguments: [
      (2_000, 1 << 30, nil), (1_000, 1 << 30, "raise --max-upload-bytes-per-peer,"),
      (4_000, 1_999, "raise --max-upload-bytes,"),
    ] as [(Int, Int, String?)])
  func `tells at the start of a limit that no file can reach`(perPeer: Int, all: Int, advice: String?) throws
  {
    let written = Lines()
    var configuration = Configuration()
    let path = Self.folder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
    configuration.uploadFolder = path
    (configuration.maxUploadBytesPerPeer, configuration.maxUploadBytes) = (perPeer, all)
    let uploads = Uploads()
    uploads.take(upTo: 2_000)
    uploads.take(upTo: 1_000)
    try uploads.open(configuration, Logger { written.add($0) })

    let told = written.all.filter { $0.contains("file limit out of reach") }
    #expect(told.count == (advice == nil ? 0 : 1))
    #expect(advice == nil || told.first?.contains(advice!) == true)
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
    #expect(throws: UploadFailure.self) {
      try application.uploading.open(application.configuration, Logger { _ in })
    }
    application.configuration.uploadFolder = "/nowhere/at/all"
    #expect(throws: UploadFailure.self) {
      try application.uploading.open(application.configuration, Logger { _ in })
    }
  }
}
