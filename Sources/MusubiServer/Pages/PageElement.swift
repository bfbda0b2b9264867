// SPDX-License-Identifier: Apache-2.0

/// An element of a page, as far as checks, layouts and fragments ask.
package struct PageElement: Equatable, Sendable {
  private let tree: PageTree
  private let index: Int

  init(_ tree: PageTree, _ index: Int) { (self.tree, self.index) = (tree, index) }

  /// The name in lower case, such as `input`.
  package var tag: String { tree.nodes[index].tag }

  /// The line of its start tag in the file, from 1 on.
  package var line: Int { tree.nodes[index].line }

  /// The attributes in their order, their names in lower case.
  package var attributes: [(name: String, value: String)] { tree.nodes[index].attributes }

  /// Where each attribute stands, name and value.
  var ranges: [Range<Int>] { tree.nodes[index].ranges }

  /// Where each value stands, without its quotes.
  var valueRanges: [Range<Int>] { tree.nodes[index].valueRanges }

  /// The line of each attribute.
  var attributeLines: [Int] { tree.nodes[index].attributeLines }

  /// Where its start tag begins: no other element of the page has the same.
  package var start: Int { tree.nodes[index].start }

  /// Where its start tag ends.
  var tagEnd: Int { tree.nodes[index].tagEnd }

  /// Where its content ends.
  var contentEnd: Int { tree.nodes[index].contentEnd }

  /// Where its end tag ends; the same place as its content's end if it has no end tag.
  var end: Int { tree.nodes[index].end }

  /// Where its content stands among the page's bytes.
  package var content: Range<Int> { tagEnd..<contentEnd }

  /// Whether it ends by a tag of its own.
  package var isClosed: Bool { contentEnd < end }

  /// The element that it stands in; nil of the outermost.
  package var parent: PageElement? { tree.nodes[index].parent.map { PageElement(tree, $0) } }

  /// The elements around it, the innermost first.
  package var ancestors: UnfoldSequence<PageElement, PageElement?> {
    sequence(state: parent) { next in
      defer { next = next?.parent }
      return next
    }
  }

  /// Whether its names are paths inside of a row's or a dialog's value.
  package var isInner: Bool { tree.nodes[index].isInner }

  /// Whether the names in it are.
  var hasInner: Bool { tree.nodes[index].hasInner }

  /// Whether it shows outputs or sends inputs.
  package var isBound: Bool {
    attributes.contains { $0.name.hasPrefix("data-bind-") || $0.name.hasPrefix("data-on-") }
  }

  /// An attribute's value; nil if the element has no such attribute.
  package subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

  package static func == (left: PageElement, right: PageElement) -> Bool {
    left.tree === right.tree && left.index == right.index
  }
}

/// The elements of one page, in their order.
///
/// Each knows the one that it stands in by its place here: a list of all elements around each would take
/// memory that grows with the square of a deep page.
final class PageTree: Sendable {
  /// What is known of an element.
  struct Node {
    let tag: String
    let line: Int
    let attributes: [(name: String, value: String)]
    let ranges: [Range<Int>]
    let valueRanges: [Range<Int>]
    let attributeLines: [Int]
    /// The place of the element that it stands in.
    let parent: Int?
    let isInner: Bool
    /// Whether it is a part of a picture or a formula.
    let isForeign: Bool
    let start: Int
    let tagEnd: Int
    var contentEnd: Int
    var end: Int

    var hasInner: Bool { attributes.contains { $0.name == "data-bind-each" || $0.name == "data-dialog" } }
  }

  let nodes: [Node]

  init(_ nodes: [Node]) { self.nodes = nodes }
}
