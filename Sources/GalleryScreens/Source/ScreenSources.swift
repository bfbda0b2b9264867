// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi

/// What the page `Public/source.html` tells of one screen.
struct ScreenSources {
  /// Where its page is.
  let path: String
  /// Whether everybody in a room sees the same.
  let hasRoom: Bool
  /// Its page, ViewModel, view and test.
  let files: [SourceFile]

  /// The screens by their names: their files, and no others, are sent.
  static let all: [String: ScreenSources] = [
    "note": of("note", "Note/NoteViewModel", "Note/NoteView", "NoteViewModelTests"),
    "board": of("board", "Board/BoardViewModel", "Board/BoardScreen", "BoardViewModelTests"),
    "studio": of(
      "studio", hasRoom: false, "Studio/StudioViewModel", "Studio/StudioScreen", "StudioViewModelTests"),
    "quiz": of("quiz", "Quiz/QuizViewModel", "Quiz/QuizScreens", "QuizViewModelTests"),
    "contents": of(
      "contents", hasRoom: false, "Contents/ContentsViewModel", "Contents/ContentsScreens",
      "ContentsViewModelTests"),
    "number": of("number", "Number/NumberViewModel", "Number/NumberView", "NumberViewModelTests"),
    "number-streams": of(
      "number", at: "/number-streams", "Ways/NumberStreams", "Ways/NumberStreams+Screen", waysTest),
    "number-properties": of(
      "number", at: "/number-properties", "Ways/NumberProperties", "Ways/NumberProperties+Screen", waysTest),
    "number-state": of("number", at: "/number-state", "Ways/NumberState", "Ways/NumberStateView", waysTest),
    "number-alone": of(
      "number", at: "/number-alone", hasRoom: false, "Number/NumberViewModel", "Number/NumberView",
      "NumberViewModelTests"),
    "search": of(
      "search", hasRoom: false, "Search/SearchViewModel", "Search/SearchView", "SearchViewModelTests"),
    "form": of("form", hasRoom: false, "Form/FormViewModel", "Form/FormScreen", "FormViewModelTests"),
    "segments": ScreenSources(
      path: "/segments", hasRoom: false,
      files: [
        SourceFile(part: "page", path: "Public/segments.html"),
        SourceFile(part: "viewModel", path: "Sources/GallerySegments/SegmentsViewModel.swift"),
        SourceFile(part: "view", path: "Sources/GalleryScreens/Segments/SegmentsView.swift"),
        SourceFile(part: "test", path: "Tests/GallerySegmentsTests/SegmentsTests.swift"),
      ]),
  ]

  private static let waysTest = "MusubiSessionTests/WaysTests"

  private static func of(
    _ page: String, at path: String? = nil, hasRoom: Bool = true, _ viewModel: String, _ view: String,
    _ test: String
  ) -> ScreenSources {
    let test = test.contains("/") ? test : "GalleryModelTests/\(test)"
    return ScreenSources(
      path: path ?? "/\(page)", hasRoom: hasRoom,
      files: [
        SourceFile(part: "page", path: "Public/\(page).html"),
        SourceFile(part: "viewModel", path: "Sources/GalleryModel/\(viewModel).swift"),
        SourceFile(part: "view", path: "Sources/GalleryScreens/\(view).swift"),
        SourceFile(part: "test", path: "Tests/\(test).swift"),
      ])
  }
}

/// One file of a screen.
struct SourceFile: Encodable {
  /// Its part in the screen: `page`, `viewModel`, `view` or `test`.
  let part: String
  /// Where it is, from the checkout's folder.
  let path: String
  /// Its text; empty until it is read.
  var text = ""

  /// The same with its text, as it is now.
  ///
  /// - Parameter folder: The checkout.
  /// - Returns: The file with its text.
  /// - Throws: `HTTPError` 404 if the checkout has no such file any more.
  func read(in folder: String) throws(HTTPError) -> SourceFile {
    guard let bytes = FileManager.default.contents(atPath: folder + "/" + path) else {
      throw HTTPError(404, "The sources have no file \(path). ソースにこのファイルはありません。")
    }
    return SourceFile(part: part, path: path, text: String(decoding: bytes, as: UTF8.self))
  }
}
