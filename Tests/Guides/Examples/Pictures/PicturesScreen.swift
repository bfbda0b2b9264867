import Foundation
import Musubi

extension PicturesViewModel: InputOutputViewModel {
  static var rules: [InputRule<Inputs>] {
    [.limit(\.picture, to: .megabytes(20), types: ["image/png", "image/jpeg", "image/webp"])]
  }
}

extension Application {
  /// Adds the wall, and the addresses of its pictures.
  mutating func addPictures(in folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    screen("pictures", scope: .room, page: "pictures.html") { context in
      PicturesViewModel(folder: folder, arriving: context.arrivingFiles(for: "picture"))
    }
    get("/pictures/<name>") { request in
      let parts = (request.parameters["name"] ?? "").split(separator: ".")
      guard parts.count == 2, parts[0].allSatisfy(\.isHexDigit), ["png", "jpeg", "webp"].contains(parts[1])
      else { throw HTTPError(404, "There is no such picture.") }
      return try .file("\(folder)/\(parts[0]).\(parts[1])", type: "image/\(parts[1])")
    }
  }
}
