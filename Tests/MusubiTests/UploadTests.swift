// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiServer
import Synchronization
import Testing

@testable import Musubi

@Suite(.timeLimit(.minutes(5))) struct `Uploads by tus` {
  @Test func `arrive in pieces, and reach the program once, with what they are`() async throws {
    let client = try UploadClient()
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
    let client = try UploadClient()
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
    let client = try UploadClient()
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
    let client = try UploadClient(types: ["image/*"])
    let fake = try await client.place(600, name: "tea.png")
    let first = try await client.send([UInt8](repeating: 65, count: 511), at: 0, to: fake)
    let second = try await client.send([65], at: 511, to: fake)
    let real = try await client.place(9, name: "tea.txt")
    let image = try await client.send(pngMark + [0], at: 0, to: real)

    #expect(first.status == 204)
    #expect(second.status == 415, "It is refused before the rest arrives.")
    #expect(second.text.contains("text/plain"))
    #expect(try await client.ask(.head, fake).status == 404)
    #expect(image.status == 204)
    #expect(client.program.files.map(\.type) == ["image/png"])
  }

  @Test func `are their sender's alone`() async throws {
    let client = try UploadClient()
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
    let client = try UploadClient()
    let place = try await client.place(2)
    _ = try await client.send([1], at: 0, to: place)
    let ended = try await client.ask(.delete, place)

    #expect(ended.status == 204 && ended.headers["Tus-Resumable"] == "1.0.0")
    #expect(client.files.kept.isEmpty)
    #expect(try await client.send([1], at: 1, to: place).status == 404)
  }

  @Test func `are deleted when nobody goes on with them`() async throws {
    let client = try UploadClient()
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
    let client = try UploadClient()
    let place = try await client.place(4)
    _ = try await client.send([1, 2], at: 0, to: place)
    client.files.begin("orphan")
    client.files.now += 61
    client.files.begin("young")
    let next = try UploadClient(client.files)

    #expect(try await next.ask(.head, place).headers["Upload-Offset"] == "2")
    #expect(try await next.send([3, 4], at: 2, to: place).status == 204)
    #expect(next.program.files.map(\.size) == [4])
    #expect(client.files.kept["orphan"] == nil && client.files.kept["young"] != nil)
  }

  @Test func `reach the program after a kill between the last byte and its answer`() async throws {
    let client = try UploadClient()
    let place = try await client.place(2)
    client.program.fail(CancellationError())
    await #expect(throws: CancellationError.self) { try await client.send([1, 2], at: 0, to: place) }
    let id = try #require(client.program.files.first?.id)

    // Killed before the file was taken: it comes again, as the same.
    let second = try UploadClient(client.files)
    #expect(try await second.ask(.head, place).headers["Upload-Offset"] == "2")
    #expect(second.program.files.map(\.id) == [id])
  }

  @Test func `that were taken before a kill do not come again`() async throws {
    let client = try UploadClient()
    let place = try await client.place(2)
    client.program.fail(CancellationError())
    await #expect(throws: CancellationError.self) { try await client.send([1, 2], at: 0, to: place) }
    client.files.take(try #require(client.program.files.first?.id))

    let second = try UploadClient(client.files)
    #expect(try await second.ask(.head, place).headers["Upload-Offset"] == "2")
    #expect(second.program.files.isEmpty)
  }

  @Test func `that the program refuses are deleted`() async throws {
    let client = try UploadClient()
    let place = try await client.place(2)
    client.program.fail(HTTPError(422, "No picture of tea."))
    let refused = try await client.send([1, 2], at: 0, to: place)

    #expect(refused.status == 422 && refused.text == "No picture of tea.\n")
    #expect(client.files.kept.isEmpty)
  }

  @Test func `are bounded for each sender, and for all`() async throws {
    let limits = UploadLimits(uploadsPerPeer: 2, bytesPerPeer: 1_000, bytes: 5_500, addressFactor: 2)
    let client = try UploadClient(to: .kilobytes(2), limits: limits)
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
    let large = try await begin(1_001, as: "emil", from: 5)
    #expect(large.status == 413 && large.headers["Retry-After"] == nil, "It never has so much room.")
    #expect(try await begin(1_600, from: 5).status == 507)
    // What has arrived, or was cancelled, makes room.
    _ = try await client.send([UInt8](repeating: 1, count: 400), at: 0, to: first, as: "ann")
    #expect(try await begin(400, as: "ann", from: 1).status == 201)
  }

  @Test func `that their visitor has left make room for others after ten minutes`() async throws {
    let client = try UploadClient(limits: UploadLimits(uploadsPerPeer: 1, addressFactor: 2))
    let left = try await client.place(2, as: "ann")
    let nobodys = try await client.place(2)
    #expect(try await client.begin(2, as: "ann").status == 429)
    client.files.now += 300
    #expect(try await client.send([1], at: 0, to: left, as: "ann").status == 204)
    client.files.now += 599
    #expect(try await client.begin(2, as: "ann").status == 429)

    client.files.now += 1
    #expect(try await client.begin(2, as: "ann").status == 201)
    #expect(try await client.ask(.head, left, as: "ann").status == 404)
    #expect(try await client.ask(.head, nobodys).status == 200)
    #expect(try await client.begin(2).status == 429, "Somebody else may have sent it from this address.")
  }

  @Test func `whose bytes were stored and not looked at are refused by their type in the end`() async throws {
    let client = try UploadClient(types: ["image/*"])
    let place = try await client.place(6)
    let id = UploadDesk.id(of: String(place.split(separator: "/").last ?? ""))
    try client.files.append(Array("<html>".utf8), to: id, at: 0)

    #expect(try await client.ask(.head, place).status == 415)
    #expect(client.files.kept.isEmpty && client.program.files.isEmpty)
  }

  @Test func `say of themselves what has room`() async throws {
    let client = try UploadClient()
    #expect(try await client.begin(1, name: String(repeating: "x", count: 3_000)).status == 201)
    #expect(try await client.begin(1, name: String(repeating: "x", count: 3_100)).status == 400)
  }

  @Test func `of somebody at an IPv6 address count against its networks`() async throws {
    let limits = UploadLimits(uploadsPerPeer: 1, bytesPerPeer: 1_000, bytes: 1 << 20, addressFactor: 2)
    let client = try UploadClient(limits: limits)
    func begin(_ network: Int) async throws -> Int {
      try await client.begin(1, from: "2001:db9:0:\(network)::1").status
    }

    for network in 0..<8 { for _ in 0..<2 { #expect(try await begin(network) == 201) } }
    #expect(try await begin(0) == 429)
    #expect(try await begin(8) == 429, "Sixteen are what the /48 has.")
    #expect(try await client.begin(1, from: "2001:db9:1::1").status == 201)
  }

  @Test func `have addresses that a browser can ask for again`() async throws {
    let client = try UploadClient()
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
    let client = try UploadClient(types: ["text/csv"])
    let place = try await client.place(8, name: name)
    let sent = try await client.send(Array("a,b\r\n1,2".utf8.prefix(8)), at: 0, to: place)

    #expect(sent.status == 204)
    let kept = try #require(client.program.files.first?.name)
    #expect(kept.unicodeScalars.count == 200 && kept.hasSuffix(".csv") && kept.hasPrefix(name.prefix(150)))
    let download = DownloadName(name).disposition
    #expect(download.hasSuffix(".csv\"") || download.hasSuffix(".csv"))
  }

  @Test func `tell which methods their addresses take`() async throws {
    let client = try UploadClient()
    let refused = try await client.ask(.get, try await client.place(1))
    #expect(refused.status == 405 && refused.headers["Allow"] == "DELETE, HEAD, PATCH")
  }

  @Test func `wait for room on the disk`() async throws {
    let client = try UploadClient()
    let place = try await client.place(2)
    client.files.isFull = true
    let full = try await client.send([1], at: 0, to: place)
    client.files.isFull = false

    #expect(full.status == 507 && full.headers["Retry-After"] == "600")
    #expect(try await client.send([1, 2], at: 0, to: place).status == 204)
  }
}
