// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi

/// All attributes of pages as an editor reads them ("custom data"), each with the first sentence of the reference.
struct EditorAttributes {
  /// The editor's file.
  struct List: Codable {
    struct Attribute: Codable {
      let name: String
      let description: String
      /// The values that the editor offers.
      var valueSet: String?
    }

    struct Values: Codable {
      struct Value: Codable { let name: String }

      let name: String
      var values: [Value]
    }

    var version = 1.1
    let globalAttributes: [Attribute]
    private var valueSets: [Values]?

    init(_ attributes: [Attribute], names: EditorNames) {
      globalAttributes = attributes
      self.names = names
    }

    /// The names of the screens.
    var names: EditorNames {
      get {
        func list(_ name: String) -> [String] {
          valueSets?.first { $0.name == name }?.values.map(\.name) ?? []
        }
        return EditorNames(screens: list("screens"), inputs: list("inputs"), outputs: list("outputs"))
      }
      set {
        let lists = [
          ("screens", newValue.screens), ("inputs", newValue.inputs), ("outputs", newValue.outputs),
        ]
        valueSets = lists.map { Values(name: $0, values: $1.map(Values.Value.init)) }
      }
    }

    /// The file's text.
    func json() throws -> Data {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(self) + Data("\n".utf8)
    }
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
  ///
  /// - Parameter names: The names of the package's screens.
  /// - Returns: JSON.
  /// - Throws: Nothing that can happen.
  func json(_ names: EditorNames) throws -> String {
    let attributes = Self.names.map { name in
      let family = PageRules.families.first(where: name.hasPrefix)
      return List.Attribute(
        name: name, description: descriptions[family ?? name] ?? "", valueSet: Self.valueSet(of: name))
    }
    return String(decoding: try List(attributes, names: names).json(), as: UTF8.self)
  }

  /// Whose names an attribute takes; nil if none.
  private static func valueSet(of attribute: String) -> String? {
    if attribute == "data-screen" { return "screens" }
    if attribute.hasPrefix("data-on-") { return "inputs" }
    return attribute.hasPrefix("data-bind-") ? "outputs" : nil
  }
}
