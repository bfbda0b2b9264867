// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi

/// The photos that people have sent, in a folder.
actor PhotoBook {
  /// A photo of the book.
  struct Photo: Codable {
    let id: String
    let name: String
    let type: String
    let size: Int
  }

  private let folder: URL
  private(set) var photos: [String: Photo] = [:]

  init(in folder: String) throws {
    self.folder = URL(filePath: folder)
    try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
  }

  func path(of photo: Photo) -> String { folder.appending(path: photo.id).path }

  /// Notes a photo, which may happen twice, and takes it last.
  func keep(_ file: UploadedFile) throws {
    let photo = Photo(id: file.id, name: file.name, type: file.type, size: file.size)
    photos[file.id] = photo
    try file.take(to: path(of: photo))
  }
}

extension Application {
  /// Takes photos, and shows them.
  mutating func addPhotos(_ book: PhotoBook) {
    uploads("/photos", to: .megabytes(20), types: ["image/*"]) { file, _ in
      try await book.keep(file)
    }

    get("/photos.json") { _ in try .json(await book.photos.values.sorted { $0.name < $1.name }) }

    get("/photos/<id>/picture") { request in
      guard let photo = await book.photos[request.parameters["id"] ?? ""] else {
        throw HTTPError(404, "There is no such photo.")
      }
      return try .file(await book.path(of: photo), type: photo.type)
    }
  }
}
