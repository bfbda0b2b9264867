// SPDX-License-Identifier: Apache-2.0

/// Where a package finds Musubi.
enum MusubiSource: Equatable {
  /// A folder: the way to it for `Package.swift`, its own name, and the innermost folder that holds it and the package.
  case folder(String, name: String, context: String)
  /// A repository and its tag.
  case repository(String, tag: String)

  /// What SwiftPM calls the package of Musubi: the name of its folder, or the last part of its address.
  var identity: String {
    switch self {
    case .folder(_, let name, _): return name
    case .repository(let url, _):
      let path = url.hasSuffix(".git") ? url.dropLast(4) : url[...]
      return path.split(whereSeparator: { $0 == "/" || $0 == ":" }).last.map(String.init) ?? url
    }
  }

  /// The dependency in `Package.swift`.
  var dependency: String {
    switch self {
    case .folder(let path, _, _):
      return """
        // Musubi's sources beside this package. A repository instead, with its tag:
            // .package(url: "https://…/Musubi.git", exact: "1.0.0")
            .package(path: "\(path)")
        """
    case .repository(let url, let tag):
      // SwiftPM takes the tag v1.0.0 for the version 1.0.0.
      let version = tag.hasPrefix("v") ? String(tag.dropFirst()) : tag
      let isVersion = version.wholeMatch(of: /\d+\.\d+\.\d+/) != nil
      return ".package(url: \"\(url)\", \(isVersion ? "exact: \"\(version)\"" : "revision: \"\(tag)\""))"
    }
  }
}
