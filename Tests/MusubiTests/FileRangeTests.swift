// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Musubi

/// A file that goes when its owner does.
private final class TemporaryFile: Sendable {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".txt").path

  init(_ text: String) throws { try text.write(toFile: path, atomically: false, encoding: .utf8) }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite(.timeLimit(.minutes(5))) struct `Parts of files` {
  private static func answer(
    _ file: TemporaryFile, _ headers: [String: String] = [:], by method: Request.Method = .get
  ) async -> Response {
    var application = Application()
    application.get("/file") { _ in
      var response = try Response.file(file.path).download(as: "digits.txt")
      response.setCookie("seen", "yes")
      return response
    }
    return await application.respond(to: Request(method, "/file", headers: headers))
  }

  @Test(arguments: [
    ("bytes=0-0", "0", "bytes 0-0/10"), ("bytes=2-4", "234", "bytes 2-4/10"),
    ("bytes=7-", "789", "bytes 7-9/10"),
    ("bytes=7-99999999999999999999", "789", "bytes 7-9/10"), ("bytes=-3", "789", "bytes 7-9/10"),
    ("Bytes=-20", "0123456789", "bytes 0-9/10"),
  ])
  func `are sent as asked for`(range: String, text: String, place: String) async throws {
    let response = await Self.answer(try TemporaryFile("0123456789"), ["range": range])

    #expect(response.status == 206)
    #expect(response.text == text)
    #expect(response.headers["Content-Range"] == place)
    #expect(response.headers["Content-Type"] == "text/plain; charset=utf-8")
    #expect(response.headers["Content-Disposition"] == "attachment; filename=\"digits.txt\"")
    #expect(response.cookies.map(\.name) == ["seen"])
  }

  @Test(arguments: [
    "bytes=4-2", "bytes=a-", "bytes=-", "bytes=0-1,4-5", "lines=0-1", "bytes=1", "bytes=+1-2", "",
  ])
  func `that are none are the whole file`(range: String) async throws {
    let response = await Self.answer(try TemporaryFile("0123456789"), ["range": range])

    #expect(response.status == 200 && response.text == "0123456789")
    #expect(response.headers["Accept-Ranges"] == "bytes" && response.headers["Content-Range"] == nil)
  }

  @Test(arguments: ["bytes=10-", "bytes=-0", "bytes=99-100"])
  func `that the file does not have are refused with its length`(range: String) async throws {
    let response = await Self.answer(try TemporaryFile("0123456789"), ["range": range])

    #expect(response.status == 416)
    #expect(response.headers["Content-Range"] == "bytes */10" && response.headers["ETag"] == nil)
  }

  @Test func `go with the file that the browser has`() async throws {
    let file = try TemporaryFile("0123456789")
    let tag = try #require(await Self.answer(file).headers["ETag"])
    func part(_ condition: String) async -> Int {
      await Self.answer(file, ["range": "bytes=5-", "if-range": condition]).status
    }

    #expect(await part(tag) == 206)
    #expect(await part("W/" + tag) == 200, "A weak tag does not tell whether bytes are the same.")
    #expect(await part("Wed, 25 Nov 2026 19:27:10 GMT") == 200)
    // Another file with the same length at the same place.
    try FileManager.default.removeItem(atPath: file.path)
    try "abcdefghij".write(toFile: file.path, atomically: false, encoding: .utf8)
    #expect(await part(tag) == 200)
  }

  @Test func `are not sent again to a browser that has the file`() async throws {
    let file = try TemporaryFile("0123456789")
    let tag = try #require(await Self.answer(file).headers["ETag"])
    let known = await Self.answer(file, ["if-none-match": "\"x\", W/\(tag)", "range": "bytes=1-2"])
    let other = await Self.answer(file, ["if-none-match": "\"x\""])

    #expect(known.status == 304 && known.headers["ETag"] == tag && known.body.isEmpty)
    #expect(other.status == 200)
  }

  @Test func `go with the file that a client goes on with, or with none`() async throws {
    let file = try TemporaryFile("0123456789")
    let tag = try #require(await Self.answer(file).headers["ETag"])
    func part(_ condition: String) async -> Int {
      await Self.answer(file, ["range": "bytes=5-", "if-match": condition]).status
    }

    #expect(await part(tag) == 206)
    #expect(await part("\"x\", \(tag)") == 206)
    #expect(await part("*") == 206)
    #expect(await part("W/" + tag) == 412)
    #expect(await part("\"x\"") == 412, "Half of each would be saved as one file.")
  }

  @Test func `are for GET alone`() async throws {
    let response = await Self.answer(try TemporaryFile("0123456789"), ["range": "bytes=1-2"], by: .head)

    #expect(response.status == 200)
  }
}

@Suite(.timeLimit(.minutes(5))) struct `Files of a folder` {
  @Test(arguments: [
    ("a.txt", "top"), ("inner/b.txt", "below"), ("../a.txt", nil), ("inner/../a.txt", nil), ("/a.txt", nil),
    ("inner//b.txt", nil), (".hidden.txt", nil), ("inner/.hidden.txt", nil), ("inner", nil), ("inner/", nil),
    ("missing.txt", nil), ("a.txt\0.png", nil), ("", nil), (".", nil), ("..", nil),
  ])
  func `are found by a path that leads nowhere else`(path: String, text: String?) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("site/inner"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in [
      "a.txt": "outside", "site/a.txt": "top", "site/inner/b.txt": "below", "site/.hidden.txt": "hidden",
      "site/inner/.hidden.txt": "hidden",
    ] { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
    var application = Application()
    let site = folder.appendingPathComponent("site").path
    application.get("/") { _ in try .file(path, in: site) }

    let response = await application.respond(to: Request("/"))

    #expect(response.status == (text == nil ? 404 : 200))
    if let text { #expect(response.text == text) }
  }
}
