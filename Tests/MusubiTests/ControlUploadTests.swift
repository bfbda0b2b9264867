// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiRx
import Testing

@testable import Musubi

private let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

/// A server's uploads for controls, over a folder that the next process finds.
private final class Server {
  let folder: String
  let uploads: Uploads
  let desk: UploadDesk
  let arrivals = FileArrivals()
  let place = FileArrivals.Place(FileArrivals.Room(screen: "book", name: "tea"), input: "photo")
  private let route: UploadRoute
  private let time: Time

  final class Time: @unchecked Sendable {
    var now = Date().timeIntervalSince1970
  }

  init(_ folder: String? = nil, identifies: Bool = true, limits: UploadLimits = UploadLimits()) throws {
    self.folder =
      folder ?? FileManager.default.temporaryDirectory.appending(path: "controls-\(UUID().uuidString)").path
    let time = Time()
    self.time = time
    desk = try UploadDesk(
      files: try UploadFolder(self.folder), limits: limits, clock: { time.now }, arrivals: arrivals)
    uploads = Uploads(desk)
    uploads.identifies = identifies
    route = UploadRoute(limit: .megabytes(1), types: ["*/*"], uploads: uploads, finished: nil)
  }

  /// What a page of Ann's shows.
  func follow() -> SharedRelay<[ArrivingFile]> {
    arrivals.open(["photo"], to: "ann", page: 1, of: place.room, owner: ObjectIdentifier(time))
    return arrivals.follow(place)
  }

  func advance(_ seconds: Double) { time.now += seconds }

  func control(_ visitor: String? = "ann") -> FileControl {
    FileControl(screen: "book", room: "tea", input: "photo", visitor: visitor)
  }

  func address(_ visitor: String? = "ann", to size: FileSize = .bytes(20)) throws -> String {
    try uploads.address(for: control(visitor), at: place, FileLimit(size: size, types: ["image/*"]))
  }

  func ask(
    _ method: Request.Method, _ path: String, _ headers: [String: String] = [:], as visitor: String? = "ann",
    body: [UInt8] = []
  ) async throws -> Response {
    var headers = headers
    headers["tus-resumable"] = "1.0.0"
    var request = Request(method, path, headers: headers, remoteAddress: "192.0.2.1", body: body)
    request.visitor = Visitor(id: visitor)
    request.parameters["upload"] = String(path.split(separator: "/").last ?? "")
    return try await route.answer(request)
  }

  func begin(_ count: Int, at address: String? = nil, as visitor: String? = "ann") async throws -> Response {
    let name = Data("tea.png".utf8).base64EncodedString()
    return try await ask(
      .post, try address ?? self.address(visitor),
      ["upload-length": "\(count)", "upload-metadata": "filename \(name)"], as: visitor)
  }

  func send(_ bytes: [UInt8], to place: String, at offset: Int = 0, as visitor: String? = "ann") async throws
    -> Response
  {
    try await ask(
      .patch, place, ["upload-offset": "\(offset)", "content-type": "application/offset+octet-stream"],
      as: visitor, body: bytes)
  }

  /// Sends a picture.
  ///
  /// - Returns: Its token.
  func arrive(as visitor: String? = "ann") async throws -> String {
    let place = try #require(try await begin(png.count, as: visitor).headers["Location"])
    #expect(try await send(png, to: place, as: visitor).status == 204)
    return String(place.split(separator: "/").last ?? "")
  }

  func file(_ token: String, by input: String = "s/1", as visitor: String? = "ann") throws -> UploadedFile {
    try uploads.file(token, for: control(visitor), by: input)
  }

  var parts: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".part") }
    }
  }

  func clean() { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
}

@Suite(.timeLimit(.minutes(5))) struct `Uploads for controls` {
  @Test func `arrive, and are what they are`() async throws {
    let server = try Server()
    defer { server.clean() }
    let token = try await server.arrive()
    let file = try server.file(token)

    #expect(file.name == "tea.png" && file.type == "image/png" && file.size == 8)
    #expect(file.sha256 == "4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6")
    #expect(file.id != token && file.id.count == 64)
    #expect(try file.bytes() == png)
  }

  @Test func `tell clients at their address what they speak`() async throws {
    let server = try Server()
    defer { server.clean() }
    let told = try await server.ask(.options, try server.address())

    #expect(told.status == 204 && told.headers["Tus-Extension"] == "creation,expiration,termination")
  }

  @Test func `tell their screen how far they have come`() async throws {
    let server = try Server()
    defer { server.clean() }
    let arriving = server.follow()
    func received() -> [Int] { arriving.value?.map(\.received) ?? [] }
    let place = try #require(try await server.begin(8).headers["Location"])
    #expect(received() == [], "Names come with bytes.")
    #expect(try await server.send(Array(png[..<3]), to: place).status == 204)
    #expect(arriving.value?.map(\.name) == ["tea.png"] && received() == [3])
    #expect(try await server.send(Array(png[3..<4]), to: place, at: 3).status == 204)
    #expect(received() == [4] && arriving.value?.first?.fraction == 0.5)

    // Who has gone is not shown for ever, and is there again with the next byte, also in another process.
    server.advance(61)
    await server.desk.sweep()
    #expect(received() == [])
    let next = try Server(server.folder)
    let later = next.follow()
    #expect(later.value == [])
    #expect(try await next.send(Array(png[4..<6]), to: place, at: 4).status == 204)
    #expect(later.value?.map(\.received) == [6])
    #expect(try await next.send(Array(png[6...]), to: place, at: 6).status == 204)
    #expect(later.value == [], "The ViewModel gets it now.")
  }

  @Test func `show nothing when they are given up, refused or have waited too long`() async throws {
    let server = try Server()
    defer { server.clean() }
    let arriving = server.follow()
    let cancelled = try #require(try await server.begin(8).headers["Location"])
    let refused = try #require(try await server.begin(4).headers["Location"])
    let waits = try #require(try await server.begin(8).headers["Location"])
    for place in [cancelled, waits] { _ = try await server.send(Array(png[..<4]), to: place) }
    #expect(arriving.value?.count == 2)
    #expect(try await server.ask(.delete, cancelled).status == 204)
    #expect(try await server.send(Array("text".utf8), to: refused).status == 415)
    #expect(arriving.value?.count == 1)
    server.advance(90_000)
    await server.desk.sweep()
    #expect(arriving.value == [])
  }

  @Test func `go to the address of their visitor, as long as it holds`() async throws {
    let server = try Server()
    defer { server.clean() }
    let address = try server.address()
    #expect(try await server.begin(8, at: address, as: "bob").status == 404)
    #expect(try await server.begin(8, at: address, as: nil).status == 404)
    #expect(try await server.begin(8, at: "/musubi/uploads/nonsense").status == 404)
    #expect(try await server.begin(8, at: try Server(server.folder).address()).status == 404)
    let begun = try await server.begin(8, at: address)
    #expect(begun.status == 201)
    let place = try #require(begun.headers["Location"])
    #expect(place.hasPrefix("/musubi/uploads/") && place.count == "/musubi/uploads/".count + 32)
    #expect(try await server.send(png, to: place, as: "bob").status == 404)
    #expect(try await server.ask(.head, place, as: "bob").status == 404)
    #expect(try await server.ask(.delete, place, as: "bob").status == 404)
  }

  @Test func `trust the address where requests tell nobody`() async throws {
    let server = try Server(identifies: false)
    defer { server.clean() }
    let begun = try await server.begin(8, at: try server.address("ann"), as: nil)
    let place = try #require(begun.headers["Location"])
    #expect(try await server.send(png, to: place, as: nil).status == 204)
    let token = String(place.split(separator: "/").last ?? "")
    #expect(throws: BindingError.unknownUpload) { try server.file(token, as: nil) }
    #expect(try server.file(token, as: "ann").size == 8)
  }

  @Test func `keep to the control's limits`() async throws {
    let server = try Server()
    defer { server.clean() }
    #expect(try await server.begin(21).status == 413)
    #expect(try await server.begin(0).status == 400)
    let place = try #require(try await server.begin(12).headers["Location"])
    let other = try await server.send(Array("no picture..".utf8), to: place)
    #expect(other.status == 415)
    #expect(try await server.ask(.head, place).status == 404)
    #expect(try server.parts.isEmpty)
  }

  @Test func `are given to one input, again and again`() async throws {
    let server = try Server()
    defer { server.clean() }
    let token = try await server.arrive()
    #expect(throws: BindingError.unknownUpload) { try server.file("other") }
    #expect(throws: BindingError.unknownUpload) { try server.file(token, as: "bob") }
    let first = try server.file(token)
    #expect(throws: BindingError.unknownUpload) { try server.file(token, by: "s/2") }
    #expect(try server.file(token).id == first.id)
    #expect(try await server.ask(.delete, "/musubi/uploads/\(token)").status == 423)
  }

  @Test func `are not there before all has arrived`() async throws {
    let server = try Server()
    defer { server.clean() }
    let place = try #require(try await server.begin(8).headers["Location"])
    _ = try await server.send(Array(png.dropLast()), to: place)
    let token = String(place.split(separator: "/").last ?? "")
    #expect(throws: BindingError.unknownUpload) { try server.file(token) }
    _ = try await server.send([png[7]], to: place, at: 7)
    #expect(try server.file(token).size == 8)
  }

  @Test func `are deleted a minute after somebody has let go`() async throws {
    let server = try Server()
    defer { server.clean() }
    let token = try await server.arrive()
    do {
      let file = try server.file(token)
      server.advance(600)
      await server.desk.sweep()
      #expect(try file.bytes() == png, "Somebody holds it.")
    }
    server.advance(59)
    await server.desk.sweep()
    #expect(try server.parts.count == 1, "Its input may come again.")
    server.advance(2)
    await server.desk.sweep()
    #expect(try server.parts.isEmpty)
    #expect(throws: BindingError.unknownUpload) { try server.file(token) }
    // The client hears that all was well.
    #expect(try await server.ask(.head, "/musubi/uploads/\(token)").headers["Upload-Offset"] == "8")
  }

  @Test func `come again after a kill, taken or not`() async throws {
    let server = try Server()
    defer { server.clean() }
    let (kept, taken) = (try await server.arrive(), try await server.arrive())
    _ = try server.file(kept, by: "s/1")
    let destination = server.folder + "/taken"
    try server.file(taken, by: "s/2").take(to: destination)

    let next = try Server(server.folder)
    #expect(try next.file(kept, by: "s/1").bytes() == png)
    let again = try next.file(taken, by: "s/2")
    #expect(again.sha256 == (try next.file(kept, by: "s/1").sha256))
    try again.take(to: destination)
    #expect(FileManager.default.contents(atPath: destination) == Data(png))
    #expect(throws: UploadFailure.self) { try again.take(to: server.folder + "/elsewhere") }
    try Data("other".utf8).write(to: URL(filePath: destination))
    #expect(throws: UploadFailure.self) { try again.take(to: destination) }
  }

  @Test func `that a kill has kept from being looked at are looked at when their client asks`() async throws {
    let server = try Server()
    defer { server.clean() }
    let place = try #require(try await server.begin(8).headers["Location"])
    let token = String(place.split(separator: "/").last ?? "")
    // Written, and killed before anybody could look.
    try Data(png).write(to: URL(filePath: server.folder + "/\(UploadDesk.id(of: token)).part"))
    let next = try Server(server.folder)
    #expect(throws: BindingError.unknownUpload) { try next.file(token) }
    #expect(try await next.ask(.head, place).headers["Upload-Offset"] == "8")
    #expect(try next.file(token).type == "image/png")
  }

  @Test func `that nobody asks for are deleted with time`() async throws {
    let server = try Server()
    defer { server.clean() }
    let token = try await server.arrive()
    server.advance(86_500)
    await server.desk.sweep()
    #expect(throws: BindingError.unknownUpload) { try server.file(token) }
    #expect(try server.parts.isEmpty)
  }

  @Test func `count until a ViewModel has them, and their bytes until they are taken`() async throws {
    let server = try Server(limits: UploadLimits(uploadsPerPeer: 2, bytesPerPeer: 28))
    defer { server.clean() }
    let first = try await server.arrive()
    _ = try await server.arrive()
    #expect(try await server.begin(8).status == 429, "Two wait.")
    let file = try server.file(first)
    #expect(try await server.begin(13).status == 429, "Sixteen bytes are on the disk.")
    let place = try #require(try await server.begin(12).headers["Location"])
    try file.take(to: server.folder + "/taken")
    #expect(try await server.begin(1).status == 429, "Two wait again.")
    #expect(try await server.ask(.delete, place).status == 204)
    #expect(try await server.begin(20).status == 201)
  }

  @Test func `need a folder before the server starts`() throws {
    final class Photos: View {
      let photo = FileField("photo")
      override class var rules: [InputRule<View>] { [.limit("photo", to: .bytes(9))] }
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "public-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
    try Data("<!DOCTYPE html><body data-screen=photos>".utf8).write(
      to: URL(filePath: folder + "/photos.html"))
    var application = Application()
    application.configuration.publicFolder = folder
    application.screen("photos", page: "photos.html") { _ in Photos() }
    #expect(throws: UploadFailure.self) { try application.start() }
  }
}
