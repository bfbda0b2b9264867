// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiWire

/// A mistake in a page, with its place.
struct PageFinding: Equatable {
  /// The kinds, by which editors tell findings apart.
  enum Kind: String, CaseIterable {
    case unknownScreen = "unknown-screen"
    case unknownName = "unknown-name"
    case unknownAttribute = "unknown-attribute"
    case wrongType = "wrong-type"
    case noEffect = "no-effect"
    case missingLabel = "missing-label"
    case missingPage = "missing-page"
    case unusedPage = "unused-page"
    case wrongScreen = "wrong-screen"
    case sharedAddress = "shared-address"
    case hiddenFile = "hidden-file"
    case brokenPage = "broken-page"
    case duplicateID = "duplicate-id"
  }

  /// What is wrong with a file of the public folder at a path of the client.
  static let hiddenFile =
    "the program serves the client that speaks its protocol at this path, and not this file, which differs; delete it."

  let kind: Kind
  /// The file, relative to the public folder.
  let file: String
  /// The line, from 1 on.
  let line: Int
  /// One sentence.
  let message: String

  /// The finding as an object for editors.
  ///
  /// - Parameter folder: Where the page is.
  /// - Returns: Its kind, the file with its folder, the line and the sentence.
  func value(in folder: String) -> Value {
    [
      "kind": .string(kind.rawValue), "file": .string("\(folder)/\(file)"), "line": .integer(Int64(line)),
      "message": .string(message),
    ]
  }
}
