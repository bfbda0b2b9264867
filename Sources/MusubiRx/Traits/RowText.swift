// SPDX-License-Identifier: Apache-2.0

/// Somebody's typing in a text of a list's row.
///
/// An input of this type and a member of the rows with the same name are one two-way text for each row:
///
/// ```swift
/// struct Inputs: Decodable { var title: Signal<RowText<Chore.ID>> = .never() }
/// struct Outputs: Encodable { let chores: Driver<[Chore]> }  // Chore has `id` and `title`
/// ```
public struct RowText<ID> {
  /// The row's id.
  public let id: ID
  /// The text that the field holds.
  public let text: String

  /// The text that somebody typed into a row.
  public init(id: ID, text: String) {
    self.id = id
    self.text = text
  }

  private enum CodingKeys: String, CodingKey {
    case id
    case text = "value"
  }
}

extension RowText: Decodable where ID: Decodable {}
extension RowText: Equatable where ID: Equatable {}
extension RowText: Sendable where ID: Sendable {}
