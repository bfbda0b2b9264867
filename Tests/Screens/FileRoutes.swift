// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi

/// Takes files, and hands them out.
///
/// Of any type at `/files`, pictures at `/pictures`; only with a data folder. A cookie says whose a file is: `visitor=ann`. A file of the name `refused` is refused, and for `slow` it takes two seconds.
enum FileRoutes {
  /// What has arrived.
  private actor Book {
    struct Entry: Codable { let id, name, type, sha256: String; let size: Int }
    private(set) var entries: [Entry] = []

    func add(_ file: UploadedFile) {
      entries.append(
        Entry(id: file.id, name: file.name, type: file.type, sha256: file.sha256, size: file.size))
    }
  }

  static func add(to application: inout Application) throws {
    guard let data = application.configuration.dataFolder else { return }
    let folder = data + "/taken"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let book = Book()
    let take = { @Sendable (file: UploadedFile, _: Request) async throws in
      if file.name == "refused" { throw HTTPError(422, "This one is not wanted.") }
      if file.name == "slow" { try await Task.sleep(for: .seconds(2)) }
      await book.add(file)
      if file.name != "left" { try file.take(to: "\(folder)/\(file.id)") }
    }
    application.uploads("/files", to: .gigabytes(1), finished: take)
    application.uploads("/pictures", to: .kilobytes(64), types: ["image/*"], finished: take)
    application.get("/taken.json") { _ in try .json(await book.entries) }
    application.get("/taken/<id>") { request in
      let id = request.parameters["id"] ?? ""
      guard id.allSatisfy(\.isHexDigit) else { throw HTTPError(404, "There is no such file.") }
      return try .file("\(folder)/\(id)", type: "application/octet-stream")
    }
  }
}
