// SPDX-License-Identifier: Apache-2.0
import Foundation
import GalleryModel
import Musubi

/// The studio screen (`Public/studio.html`): files, a chart that moves, a job and a chat.
enum StudioScreen {
  /// Adds the screen, and the addresses of its pictures.
  ///
  /// - Throws: If the folder for the pictures cannot be made.
  static func add(to application: inout Application, folder: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let remove: @Sendable (StudioModel.Picture) -> Void = { picture in
      // Does nothing if it has gone already.
      unlink(folder + "/" + (picture.address.split(separator: "/").last ?? ""))
    }
    application.sharedModel("studio") { context in
      StudioModel(clock: context.clock, state: try context.restored(), remove: remove)
    }
    application.screen("studio", page: "studio.html") { context in
      StudioViewModel(
        context, studio: context.shared(), state: try context.restored(),
        keep: { file in
          let name = "\(file.id).\(file.type.dropFirst("image/".count))"
          try file.take(to: "\(folder)/\(name)")
          return "/studio/pictures/\(name)"
        }, remove: remove, pause: { try await Task.sleep(for: .milliseconds(40)) })
    }
    application.get("/studio/pictures/<name>") { request in
      let parts = (request.parameters["name"] ?? "").split(separator: ".")
      guard parts.count == 2, parts[0].allSatisfy(\.isHexDigit),
        ["png", "jpeg", "gif", "webp"].contains(parts[1])
      else { throw HTTPError(404, "The studio has no such picture. スタジオにそのような画像はありません。") }
      return try .file("\(folder)/\(parts[0]).\(parts[1])", type: "image/\(parts[1])")
    }
  }
}
