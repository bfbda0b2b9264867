// SPDX-License-Identifier: Apache-2.0
import Foundation
public import Musubi

extension Gallery {
  /// Adds what the front page shows besides itself: the panes with the note, its QR code, and the screens' sources.
  ///
  /// A pane is the note in a frame, which pages of this server alone may show; no other page may be in a frame at all.
  ///
  /// - Parameters:
  ///   - application: What gets the routes; its configuration says where the pages are.
  ///   - chosen: The checkout with the sources; nil: the working folder, if it is one.
  /// - Throws: `SourcesMissing` if the chosen folder has no sources.
  public static func addFrontPage(to application: inout Application, sources chosen: String?) throws {
    let pages = application.configuration.publicFolder
    var security = ContentSecurity()
    security.allow(frameAncestors: ["'self'"])
    application.get("/pane", isOpen: true) { [security] _ in
      var response = try Response.file("pane.html", in: pages)
      response.contentSecurity = security
      response.headers["Cache-Control"] = "no-cache"
      return response
    }
    application.get("/note/code.svg", isOpen: true) { request in
      guard let room = request.query["room"], room.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil else {
        throw HTTPError(404, "No note has this address.")
      }
      return try QRPicture.response(to: request, path: "/note?room=\(room)")
    }
    let folder = chosen ?? "."
    let isThere = FileManager.default.fileExists(atPath: folder + "/Sources/GalleryScreens/Gallery.swift")
    if let chosen, !isThere { throw SourcesMissing(folder: chosen) }
    application.get("/sources", isOpen: true) { request in
      guard let files = ScreenSource.all[request.query["screen"] ?? ""] else {
        throw HTTPError(404, "The gallery has no screen of this name.")
      }
      return try .json(isThere ? try files.map { try $0.read(in: folder) } : [])
    }
  }
}

/// One file of a screen, as the page `Public/source.html` shows it.
struct ScreenSource: Encodable {
  /// Its part in the screen: `page`, `viewModel`, `view` or `test`.
  let part: String
  /// Where it is, from the checkout's folder.
  let path: String
  /// Its text; empty until it is read.
  var text = ""

  /// The files of each screen, by the screen's name: these, and no other file, are sent.
  static let all: [String: [ScreenSource]] = [
    "note": files("note", "Note/NoteViewModel", "Note/NoteView", "NoteViewModelTests"),
    "board": files("board", "Board/BoardViewModel", "Board/BoardScreen", "BoardViewModelTests"),
    "studio": files("studio", "Studio/StudioViewModel", "Studio/StudioScreen", "StudioViewModelTests"),
    "quiz": files("quiz", "Quiz/QuizViewModel", "Quiz/QuizScreens", "QuizViewModelTests"),
    "contents": files(
      "contents", "Contents/ContentsViewModel", "Contents/ContentsScreens", "ContentsViewModelTests"),
    "number": files("number", "Number/NumberViewModel", "Number/NumberView", "NumberViewModelTests"),
    "search": files("search", "Search/SearchViewModel", "Search/SearchView", "SearchViewModelTests"),
    "form": files("form", "Form/FormViewModel", "Form/FormScreen", "FormViewModelTests"),
    "segments": [
      ScreenSource(part: "page", path: "Public/segments.html"),
      ScreenSource(part: "viewModel", path: "Sources/GallerySegments/SegmentsViewModel.swift"),
      ScreenSource(part: "view", path: "Sources/GalleryScreens/Segments/SegmentsView.swift"),
      ScreenSource(part: "test", path: "Tests/GallerySegmentsTests/SegmentsTests.swift"),
    ],
  ]

  private static func files(
    _ page: String, _ viewModel: String, _ view: String, _ test: String
  ) -> [ScreenSource] {
    [
      ScreenSource(part: "page", path: "Public/\(page).html"),
      ScreenSource(part: "viewModel", path: "Sources/GalleryModel/\(viewModel).swift"),
      ScreenSource(part: "view", path: "Sources/GalleryScreens/\(view).swift"),
      ScreenSource(part: "test", path: "Tests/GalleryModelTests/\(test).swift"),
    ]
  }

  /// The same with its text, as it is now.
  ///
  /// - Parameter folder: The checkout.
  /// - Returns: The file with its text.
  /// - Throws: `HTTPError` 404 if the checkout has no such file any more.
  func read(in folder: String) throws(HTTPError) -> ScreenSource {
    guard let bytes = FileManager.default.contents(atPath: folder + "/" + path) else {
      throw HTTPError(404, "The sources have no file \(path).")
    }
    return ScreenSource(part: part, path: path, text: String(decoding: bytes, as: UTF8.self))
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
