// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi

/// All attributes of pages as an editor reads them ("custom data"), each with the first sentence of the reference.
struct EditorAttributes {
  private struct List: Encodable {
    struct Attribute: Encodable {
      let name: String
      let description: String
    }

    let version = 1.1
    let globalAttributes: [Attribute]
  }

  /// Sentences by attribute; a family such as `data-on-` ends with its hyphen.
  private let descriptions: [String: String]

  /// Takes the reference apart.
  ///
  /// - Parameter reference: The text of `DataAttributes.md`.
  init(reference: String) {
    var descriptions: [String: String] = [:]
    for section in reference.components(separatedBy: "\n### `").dropFirst() {
      guard let end = section.firstIndex(of: "`") else { continue }
      let name = section[..<end].prefix { $0 != "<" }
      let paragraph = section[end...].components(separatedBy: "\n\n").dropFirst().first ?? ""
      let line = paragraph.replacing("\n", with: " ").replacing(/<doc:(\w+)>/) { $0.1 }
      descriptions[String(name)] = line.firstRange(of: ". ").map { line[..<$0.lowerBound] + "." } ?? line
    }
    self.descriptions = descriptions
  }

  /// The attributes' names: those that stand as they are, and the usual ones of each family.
  static var names: [String] {
    let events = ["click", "input", "change", "submit", "focus", "blur", "keydown.enter"]
    let settable = PageRules.settable.sorted() + ["aria-label", "aria-current"]
    return
      (Array(PageRules.known) + PageRules.families + events.map { "data-on-" + $0 }
      + settable.map { "data-bind-attr-" + $0 }).sorted()
  }

  /// The file's text.
  func json() throws -> String {
    let attributes = Self.names.map { name in
      let family = PageRules.families.first(where: name.hasPrefix)
      return List.Attribute(name: name, description: descriptions[family ?? name] ?? "")
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(List(globalAttributes: attributes)), as: UTF8.self) + "\n"
  }
}
