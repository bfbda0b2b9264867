// SPDX-License-Identifier: Apache-2.0
import Foundation
import GalleryModel
public import Musubi

extension Gallery {
  /// Adds what leads to the screens: the panes of the front page, and each screen beside its source.
  ///
  /// Both show pages in frames, which pages of this server alone may do.
  ///
  /// - Parameters:
  ///   - application: What gets the routes; its configuration says where the pages are.
  ///   - chosen: The checkout with the sources; nil: the working folder, if it is one.
  /// - Throws: `SourcesMissing` if the chosen folder has no sources.
  public static func addFrontPage(to application: inout Application, sources chosen: String?) throws {
    application.configuration.contentSecurity.allow(frameAncestors: ["'self'"])
    let pages = application.configuration.publicFolder
    application.get("/pane", isOpen: true) { _ in
      var response = try Response.file("pane.html", in: pages)
      response.headers["Cache-Control"] = "no-cache"
      return response
    }
    application.screen("source", page: "source.html") { context in
      let name = context.query["screen"] ?? ""
      let screen = ScreenSources.all[name]
      let room: String? =
        screen?.hasRoom == true
        ? try context.restored() ?? context.query["in"].flatMap(roomName) ?? newRoom(context.random) : nil
      let here = room.map { context.presence(in: $0, of: name).map(\.count) } ?? .just(0)
      return SourceViewModel(
        path: screen?.path ?? "", code: screen == nil ? "" : "/source/code.svg?screen=\(name)", room: room,
        here: here)
    }
    application.get("/source/code.svg", isOpen: true) { request in
      guard let screen = ScreenSources.all[request.query["screen"] ?? ""] else {
        throw HTTPError(404, "The gallery has no screen of this name. ギャラリーにそのような画面はありません。")
      }
      let room = request.query["room"].flatMap(roomName).map { "?room=\($0)" }
      return try QRPicture.response(to: request, path: screen.path + (room ?? ""))
    }
    let folder = chosen ?? "."
    let isThere = FileManager.default.fileExists(atPath: folder + "/Sources/GalleryScreens/Gallery.swift")
    if let chosen, !isThere { throw SourcesMissing(folder: chosen) }
    application.get("/sources", isOpen: true) { request in
      guard let screen = ScreenSources.all[request.query["screen"] ?? ""] else {
        throw HTTPError(404, "The gallery has no screen of this name. ギャラリーにそのような画面はありません。")
      }
      return try .json(isThere ? try screen.files.map { try $0.read(in: folder) } : [])
    }
  }

  private static func roomName(_ text: String) -> String? {
    text.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) == nil ? nil : text
  }

  /// A room that nobody guesses.
  private static func newRoom(_ random: RandomSource) -> String {
    "try-\(String(random.next(), radix: 36))"
  }
}

/// A folder is no checkout with the gallery's sources.
public struct SourcesMissing: Error, CustomStringConvertible {
  let folder: String

  /// One sentence that says what should be there.
  public var description: String {
    "--sources takes the folder of a checkout, but \"\(folder.prefix(80))\" has no Sources/GalleryScreens/Gallery.swift."
  }
}
