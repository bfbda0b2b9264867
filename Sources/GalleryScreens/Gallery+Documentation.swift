// SPDX-License-Identifier: Apache-2.0
import Foundation
public import Musubi

extension Gallery {
  /// Shows the documentation that `deploy/docs` has made at `/docs`, or how to make it.
  ///
  /// Its pages have a policy of their own: docc writes a script into them, which is allowed by its hash, and its scripts make
  /// markup from the documentation's text, so that Trusted Types are off.
  ///
  /// - Parameters:
  ///   - application: What gets the routes.
  ///   - chosen: The folder that `deploy/docs` has made; nil: `.build/docs`, if it is there.
  /// - Throws: `DocumentationMissing` if the chosen folder has no documentation.
  public static func addDocumentation(to application: inout Application, folder chosen: String?) throws {
    let folder = chosen ?? ".build/docs"
    guard let page = FileManager.default.contents(atPath: folder + "/index.html") else {
      if let chosen { throw DocumentationMissing(folder: chosen) }
      application.get("/docs", isOpen: true) { _ in try .redirect(to: "/docs.html") }
      return
    }
    var security = ContentSecurity()
    security.allowScripts(of: String(decoding: page, as: UTF8.self))
    security.requiresTrustedTypes = false
    for path in ["/docs", "/docs/"] {
      application.get(path, isOpen: true) { _ in try .redirect(to: "/docs/documentation") }
    }
    application.get("/docs/<path...>", isOpen: true) { [security] request in
      var response = try file(request.parameters["path"] ?? "", in: folder)
      response.contentSecurity = security
      // It is the same until deploy/docs runs again; browsers ask by its ETag.
      response.headers["Cache-Control"] = "no-cache"
      return response
    }
  }

  /// A file, or the page of a folder: with and without a slash at its end, since all that it loads has a whole path.
  private static func file(_ path: String, in folder: String) throws -> Response {
    do {
      return try .file(path, in: folder)
    } catch {
      return try .file(path + (path.hasSuffix("/") ? "" : "/") + "index.html", in: folder)
    }
  }
}

/// A folder has no documentation.
public struct DocumentationMissing: Error, CustomStringConvertible {
  let folder: String

  /// One sentence that says what makes it.
  public var description: String {
    "--docs takes a folder with the documentation, but \"\(folder.prefix(80))\" has no index.html; deploy/docs makes one."
  }
}
