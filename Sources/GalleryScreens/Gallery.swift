// SPDX-License-Identifier: Apache-2.0
public import Foundation
import GalleryAPI
import GalleryModel
import GallerySegments
public import Musubi

/// The screens of the gallery.
public enum Gallery {
  /// Where the search screen searches.
  public enum Search: Equatable, Sendable {
    /// The articles that ship with the gallery.
    case local
    /// A Wikipedia, over HTTPS; a test's own server, over HTTP.
    case wikipedia(URL)
  }

  /// Adds every screen to an application.
  ///
  /// - Parameters:
  ///   - application: What gets the screens; its configuration says where the data is.
  ///   - search: Where the search screen searches.
  ///   - dataLimit: The most MiB that the databases of the contents and of the boards may have, each; nil for as many as the disk has.
  /// - Throws: If the database of the contents cannot be opened, or the articles cannot be indexed.
  public static func addScreens(
    to application: inout Application, search: Search = .local, dataLimit: Int? = nil
  ) async throws {
    addNumber(to: &application)
    addSegments(to: &application)
    addForm(to: &application)
    let tables = try GalleryTables.ofCluster(application)
    try addContents(to: &application, tables, dataLimit)
    try addSearch(to: &application, search)
    try BoardScreen.add(to: &application, tables, dataLimit: dataLimit)
    try addStudio(to: &application)
    QuizScreens.add(to: &application, tables)
    NumberWays.add(to: &application)
  }

  /// Adds the number screens, which need no data.
  public static func addNumber(to application: inout Application) {
    application.screen("number", scope: .room, page: "number.html") { context in
      NumberView(model: RandomNumberModel(generator: context.random), number: try context.restored())
    }
    application.screen("number-alone", scope: .session, page: "number.html") { context in
      NumberView(model: RandomNumberModel(generator: context.random), number: try context.restored())
    }
    application.screen("note", scope: .room, page: "note.html") { context in try NoteView(context: context) }
  }

  private static func addSegments(to application: inout Application) {
    application.screen("segments", page: "segments.html") { context in
      let asked = context.query["segment"].flatMap { Int($0) }
      return SegmentsView(viewModel: SegmentsViewModel(selected: try context.restored() ?? asked ?? 0))
    }
    application.screen("greeting", page: "greeting.html", presenting: GreetingView.self) { context in
      let text: GreetingText? = try context.restored()
      return GreetingView(viewModel: text.map { GreetingViewModel(text: $0) } ?? GreetingViewModel())
    }
  }

  private static func addForm(to application: inout Application) {
    application.screen("form", page: "form.html") { context in
      FormViewModel(clock: context.clock, state: try context.restored())
    }
  }

  private static func addContents(
    to application: inout Application, _ tables: GalleryTables?, _ dataLimit: Int?
  ) throws {
    let folder = application.configuration.dataFolder.map { URL(fileURLWithPath: $0) }
    var configuration = ContentsConfiguration()
    configuration.maxMebibytes = dataLimit
    let api =
      if let tables { ContentsAPI(database: tables, configuration: configuration) } else {
        try ContentsAPI(folder: folder, configuration: configuration)
      }
    ContentsScreens.add(to: &application, api: api)
  }

  private static func addStudio(to application: inout Application) throws {
    guard let folder = application.configuration.dataFolder else {
      // A server without a folder writes nothing anywhere.
      return application.get("/studio", isOpen: true) { _ in
        throw HTTPError(
          404,
          "The studio needs a folder for files: start the gallery with --data. "
            + "スタジオにはファイルのフォルダが必要です。--data を付けて起動してください。")
      }
    }
    // Where other servers of a cluster find the pictures, too.
    let shared = application.configuration.clusterURL.flatMap { _ in application.configuration.uploadFolder }
    try StudioScreen.add(to: &application, folder: (shared ?? folder) + "/studio")
  }

  private static func addSearch(to application: inout Application, _ search: Search) throws {
    let model: any SearchModel & Sendable
    switch search {
    case .local: model = LocalSearchModel(index: try ArticleIndex())
    case .wikipedia(let url):
      model = WikipediaSearchModel(
        client: WikipediaClient(configuration: WikipediaConfiguration(baseURL: url)))
    }
    application.screen("search", page: "search.html") { context in
      SearchView(
        viewModel: SearchViewModel(model: model, scheduler: context.clock),
        texts: SearchTexts(language: Language(preferred: context.visitor.locales)),
        word: try context.restored() ?? context.query["searchWord"])
    }
  }
}
