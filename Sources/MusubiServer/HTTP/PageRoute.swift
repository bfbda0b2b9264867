// SPDX-License-Identifier: Apache-2.0

/// Says which file of the public folder a path shows.
package struct PageRoute: Sendable, Equatable {
  /// The path; a segment in angle brackets stands for any, as in `/contents/<id>`.
  package var path: String
  /// The file, relative to the public folder.
  package var file: String

  package init(path: String, file: String) {
    self.path = path
    self.file = file
  }

  /// Whether the path has segments that stand for any.
  var isPattern: Bool { path.utf8.contains(UInt8(ascii: "<")) }

  /// Whether a request's path fits.
  package func matches(_ requested: String) -> Bool {
    let pattern = path.split(separator: "/", omittingEmptySubsequences: false)
    let segments = requested.split(separator: "/", omittingEmptySubsequences: false)
    return pattern.count == segments.count
      && zip(pattern, segments).allSatisfy { expected, actual in
        expected.hasPrefix("<") && expected.hasSuffix(">") ? !actual.isEmpty : expected == actual
      }
  }
}
