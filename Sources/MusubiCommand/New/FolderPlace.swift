// SPDX-License-Identifier: Apache-2.0

/// How folders lie to each other.
struct FolderPlace {
  /// The way from a folder to another one, such as `../Musubi`.
  ///
  /// - Parameters:
  ///   - folder: An absolute path without `..` and symbolic links.
  ///   - target: Another one.
  /// - Returns: The relative path.
  static func way(from folder: String, to target: String) -> String {
    let (from, to) = (parts(folder), parts(target))
    let shared = zip(from, to).prefix { $0 == $1 }.count
    let way = Array(repeating: "..", count: from.count - shared) + to.dropFirst(shared).map(String.init)
    return way.isEmpty ? "." : way.joined(separator: "/")
  }

  /// The innermost folder in which two lie.
  static func around(_ folder: String, _ other: String) -> String {
    "/" + zip(parts(folder), parts(other)).prefix { $0 == $1 }.map { String($0.0) }.joined(separator: "/")
  }

  private static func parts(_ path: String) -> [Substring] { path.split(separator: "/") }
}
