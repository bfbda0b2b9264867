// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiServer
import MusubiSession

// MARK: - What is checked before a page comes

extension Application {
  /// Makes one instance of every screen, and checks its names and types.
  ///
  /// - Returns: The names and types of each screen.
  /// - Throws: `SchemaError` with the screen and the property to blame.
  @discardableResult
  package func checkScreens() throws -> [String: ScreenSchema] {
    var schemas: [String: ScreenSchema] = [:]
    var names: Set<String> = []
    let known = ModelProbe(models)
    try checkModels(known)
    for route in routes {
      if let problem = ScreenName.problem(of: route.name) {
        throw SchemaError(screen: route.name, problem: problem)
      }
      guard names.insert(route.name).inserted else {
        throw SchemaError(screen: route.name, problem: "two screens have this name; give one another name.")
      }
      let scheduler = RoomScheduler(clock: { .zero }, wallClock: { 0 })
      var context = ScreenContext(
        screen: route.name, room: nil, path: "/\(route.name)", clock: scheduler, random: RandomSource(seed: 0)
      )
      context.models = known
      let schema = try LoopContext.with(scheduler) { try route.probe(context) }
      schemas[route.name] = schema
      for destination in schema.destinations where !routes.contains(where: { $0.type == destination.type }) {
        throw SchemaError(
          screen: route.name,
          problem:
            "the output \"\(destination.output)\" emits a \(destination.typeName), which no screen of the "
            + "application shows; add one by screen(_:page:make:).")
      }
    }
    return schemas
  }

  /// What is wrong with the pages of the public folder.
  ///
  /// - Throws: `SchemaError` if the screens themselves cannot be used, `ServerError` if the folder cannot be read.
  func pageFindings() throws -> [PageFinding] {
    var inspection = PageInspection(
      schemas: try checkScreens(),
      routes: zip(routes, pages).map { .init(screen: $0.name, path: $0.path, file: $1.file) },
      shared: Set(routes.filter { $0.scope != .session }.map(\.name)),
      ownPaths: Set(table.routes.filter { $0.method == .get }.map(\.path)))
    let files: StaticFiles
    do throws(ServerError) {
      files = try StaticFiles(root: configuration.publicFolder, routes: [])
    } catch {
      guard !error.pages.isEmpty else { throw error }
      return error.pages.map {
        PageFinding(kind: .brokenPage, file: $0.place.file, line: $0.place.line, message: $0.message)
      }
    }
    let hidden = files.hidden.map {
      PageFinding(kind: .hiddenFile, file: $0, line: 1, message: PageFinding.hiddenFile)
    }
    inspection.origin = { files.origin(of: $0, attribute: $1, in: "/" + $2) }
    let found = inspection.findings(
      in: files.htmlPages.map { (file: String($0.path.dropFirst()), text: $0.text) })
    // A mistake in a layout is one, however many pages have it.
    var known: Set<String> = []
    return hidden + found.filter { known.insert("\($0.file):\($0.line): \($0.message)").inserted }
  }

  /// Makes one instance of every shared model.
  ///
  /// - Throws: `SchemaError` with the model to blame; what its factory throws.
  private func checkModels(_ known: ModelProbe) throws {
    var types: Set<ObjectIdentifier?> = []
    for model in models {
      let name = String(model.name.drop { $0 != ":" }.dropFirst())
      if let problem = ScreenName.problem(of: name) { throw SchemaError(screen: name, problem: problem) }
      guard models.count(where: { $0.name == model.name }) == 1 else {
        throw SchemaError(screen: name, problem: "two shared models have this name; give one another name.")
      }
      guard types.insert(model.type).inserted else {
        throw SchemaError(
          screen: name,
          problem:
            "another shared model has the same type, by which screens ask for it; give one a type of its own."
        )
      }
      let scheduler = RoomScheduler(clock: { .zero }, wallClock: { 0 })
      var context = ScreenContext(
        screen: model.name, room: "lobby", path: "", clock: scheduler, random: RandomSource(seed: 0))
      context.models = known
      _ = try LoopContext.with(scheduler) { try ScreenInstance(model, context: context) }
    }
  }
}
