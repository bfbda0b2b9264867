// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi

/// A new package: its names, and its files.
struct NewPackage {
  let name: PackageName
  let style: Style
  let source: MusubiSource
  /// Where it will lie.
  let folder: String

  /// All files by their paths in the package.
  ///
  /// - Parameter checkout: Musubi's sources, whose container and unit the package gets.
  /// - Returns: The files' texts.
  /// - Throws: `ToolError` if a file of Musubi is missing.
  func files(from checkout: Checkout) throws -> [String: String] {
    let (module, screen) = (name.module, name.screen)
    var files = [
      "Package.swift": manifest,
      "README.md": readme,
      ".gitignore": "/.build/\n",
      "Sources/\(module)/main.swift": main,
      "Public/\(screen).html": page,
      "Public/icon.svg": icon,
      "Tests/\(screen).musubi": script,
      "Tests/\(module)Tests/\(name.type)Tests.swift": test,
      "Dockerfile": try dockerfile(checkout),
      "Dockerfile.dockerignore": try checkout.text("deploy/Dockerfile.dockerignore"),
      "deploy/\(screen).service": try checkout.text("deploy/musubi.service"),
    ]
    for (path, text) in swiftFiles { files["Sources/\(module)/\(path)"] = text }
    for (path, text) in try editorFiles(checkout) { files[".vscode/\(path)"] = text }
    return files
  }

  /// What to do next.
  var farewell: String {
    """
    \(name.module) is in \(folder).

      cd \(name.module)
      swift test
      swift run musubi check
      swift run musubi dev

    Then open http://127.0.0.1:8080 in two windows. The first build has Musubi in it, and takes some minutes. README.md says
    what is where.
    """
  }

  /// Musubi's own recipe, with this package's names as they are left out.
  private func dockerfile(_ checkout: Checkout) throws -> String {
    let text = try checkout.text("deploy/Dockerfile")
    // What stands before the recipe speaks of the gallery.
    guard let recipe = text.range(of: "FROM swift:") else {
      throw ToolError("\(checkout.folder)/deploy/Dockerfile has no stage that builds.")
    }
    let defaults = [
      "ARG FOLDER=.": "ARG FOLDER=\(quoted(containerFolder))",
      "ARG PRODUCT=gallery": "ARG PRODUCT=\(name.module)",
    ]
    return """
      # \(name.module) as a container: its program with the Swift libraries in it, the C libraries that it is linked with, and its
      # pages; no shell. The context is a folder that holds this package\(isBesideMusubi ? " and Musubi's sources" : ""):
      #   \(dockerBuild)


      """
        + defaults.reduce(String(text[recipe.lowerBound...])) { $0.replacing($1.key, with: $1.value) }
  }

  /// A path as a Dockerfile's value; a plain one as it is.
  private func quoted(_ path: String) -> String {
    guard path.contains(where: { !$0.isLetter && !$0.isNumber && !"./_-".contains($0) }) else { return path }
    return "\"" + path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("$", with: "\\$")
      + "\""
  }

  private var isBesideMusubi: Bool { if case .folder = source { true } else { false } }

  /// The package's folder in the container's context.
  private var containerFolder: String {
    guard case .folder(_, _, let context) = source else { return "." }
    return FolderPlace.way(from: context, to: folder)
  }

  /// The command that makes the container, in the package's folder.
  var dockerBuild: String {
    let context =
      if case .folder(_, _, let context) = source { FolderPlace.way(from: folder, to: context) } else { "." }
    return "docker build --tag \(name.screen) --file Dockerfile \(context)"
  }
}
