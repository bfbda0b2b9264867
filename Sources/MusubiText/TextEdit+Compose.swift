// SPDX-License-Identifier: Apache-2.0

extension TextEdit {
  /// One edit that does what this one and then the next one do.
  ///
  /// The result applies to the text before this edit. As a rewrite may lose which unit stood for which, transforming
  /// the composed edit can order texts otherwise than transforming the two; both sides must compose, or neither.
  ///
  /// - Parameter next: An edit of the text that this one makes.
  /// - Returns: The joined edit in normal form.
  package func compose(then next: TextEdit) -> TextEdit {
    var source = EditedText(normalized.components)
    var builder = EditBuilder()
    var position = 0
    for component in next.normalized.components {
      let isSubstitution = component.isSubstitution
      source.advance(by: component.position - position) { builder.append($0, $1, $2, isSubstitution: $3) }
      source.advance(by: component.deleted) { before, deleted, _, isSubstitution in
        builder.append(before, deleted, "", isSubstitution: isSubstitution)
      } kept: {
        builder.append($0, $1, "", isSubstitution: isSubstitution)
      }
      builder.append(source.position, 0, component.inserted, isSubstitution: isSubstitution)
      position = component.end
    }
    source.advance(by: .max) { builder.append($0, $1, $2, isSubstitution: $3) }
    return builder.edit
  }

  /// The edit that takes this one back.
  ///
  /// - Parameter text: The text before this edit, which fits it.
  /// - Returns: An edit of the text after this one, in normal form.
  package func inverse(of text: String) -> TextEdit {
    var builder = EditBuilder()
    var shift = 0
    for component in components {
      let length = component.inserted.utf16.count
      builder.append(
        component.position + shift, length, text.units(component.position..<component.end),
        isSubstitution: component.isSubstitution)
      shift += length - component.deleted
    }
    return builder.edit
  }
}

/// The text that an edit makes, walked from left to right without having the text.
private struct EditedText {
  /// How much of the text before the edit lies behind.
  private(set) var position = 0
  private let components: [TextEdit.Component]
  private var next = 0
  /// The rest of the text that the component before `next` inserts; its deletion has been reported.
  private var rest = ""
  /// Whether that component is a substitution.
  private var isSubstitution = false

  init(_ components: [TextEdit.Component]) { self.components = components }

  /// Walks over that many units of the text after the edit.
  ///
  /// - Parameters:
  ///   - count: The units; more than there are to walk to the end of the last component.
  ///   - changed: Told of the units deleted (position, count, nothing) and the texts inserted (position, 0, text), and
  ///     whether they belong to a substitution.
  ///   - kept: Told of the units walked over that were there before (position, count).
  mutating func advance(
    by count: Int, changed: (Int, Int, String, Bool) -> Void, kept: (Int, Int) -> Void = { _, _ in }
  ) {
    var left = count
    while left > 0 {
      if !rest.isEmpty {
        let length = rest.utf16.count
        let taken = min(left, length)
        changed(position, 0, taken == length ? rest : rest.units(0..<taken), isSubstitution)
        rest = taken == length ? "" : rest.units(taken..<length)
        left -= taken
      } else if next < components.count, components[next].position == position {
        let component = components[next]
        next += 1
        isSubstitution = component.isSubstitution
        changed(position, component.deleted, "", isSubstitution)
        position += component.deleted
        rest = component.inserted
      } else {
        guard next < components.count || count < .max else { return }
        let run = next < components.count ? min(left, components[next].position - position) : left
        kept(position, run)
        position += run
        left -= run
      }
    }
  }
}
