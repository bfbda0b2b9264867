// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi
import Testing

@testable import GuideExamples

@Suite(.timeLimit(.minutes(5))) struct `A book of photos` {
  private static func send(_ bytes: [UInt8], to application: Application) async throws -> Response {
    let begun = await application.respond(
      to: Request(
        .post, "/photos",
        headers: [
          "tus-resumable": "1.0.0", "upload-length": "\(bytes.count)",
          "upload-metadata": "filename dGVhLnBuZw==",
        ]))
    return await application.respond(
      to: Request(
        .patch, try #require(begun.headers["Location"]),
        headers: [
          "tus-resumable": "1.0.0", "upload-offset": "0", "content-type": "application/offset+octet-stream",
        ], body: bytes))
  }

  @Test func `takes pictures, and shows them in parts`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "photos-" + UUID().uuidString)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let book = try PhotoBook(in: folder.path)
    var application = Application()
    application.configuration.uploadFolder = folder.appending(path: "uploads").path
    application.addPhotos(book)

    let picture = try await Self.send([0x89] + Array("PNG\r\n\u{1A}\n and more".utf8), to: application)
    let text = try await Self.send(Array("no picture".utf8), to: application)
    let photo = try #require(await book.photos.values.first)
    let part = await application.respond(
      to: Request("/photos/\(photo.id)/picture", headers: ["range": "bytes=-4"]))

    #expect(picture.status == 204 && text.status == 415)
    #expect(await book.photos.count == 1)
    #expect(photo.name == "tea.png" && photo.type == "image/png" && photo.size == 17)
    #expect(part.status == 206 && part.text == "more" && part.headers["Content-Type"] == "image/png")
  }
}
