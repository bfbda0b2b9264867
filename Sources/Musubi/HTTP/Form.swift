// SPDX-License-Identifier: Apache-2.0

/// The fields of a form, as a browser sends them by `POST` (WHATWG URL, section 5.1).
///
/// ```swift
/// let form = try request.form
/// let name = form["name"] ?? ""
/// let toppings = form.values(of: "topping")
/// ```
public struct Form: Sendable, Equatable {
  private var fields: [(name: String, value: String)] = []

  /// So many fields a form may have: more than any page shows.
  private static let maxFields = 1_000

  /// Reads `application/x-www-form-urlencoded`.
  ///
  /// - Throws: `HTTPError` if it is too much, or no UTF-8.
  init(_ body: [UInt8]) throws(HTTPError) {
    let parts = body.split(separator: UInt8(ascii: "&"), maxSplits: Self.maxFields)
    guard parts.count <= Self.maxFields else { throw HTTPError(400, "The form has too many fields.") }
    for part in parts {
      let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      fields.append((try Self.decoded(pair[0]), pair.count > 1 ? try Self.decoded(pair[1]) : ""))
    }
  }

  /// The value of a field; of several with one name the first, and nil if there is none.
  ///
  /// - Parameter name: The field's name.
  /// - Returns: The value, which may be empty.
  public subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

  /// All values of a field, such as a group of check boxes sends.
  ///
  /// - Parameter name: The fields' name.
  /// - Returns: The values in the page's order.
  public func values(of name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

  /// The names of the fields, in the page's order; one for each field.
  public var names: [String] { fields.map(\.name) }

  /// Whether two forms have the same fields in the same order.
  ///
  /// - Parameters:
  ///   - one: A form.
  ///   - other: Another one.
  /// - Returns: Whether they are the same.
  public static func == (one: Form, other: Form) -> Bool { one.fields.elementsEqual(other.fields, by: ==) }

  /// Resolves `+` and `%20`; a percent sign without two digits stands for itself.
  private static func decoded(_ bytes: ArraySlice<UInt8>) throws(HTTPError) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): result.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard rest.count >= 2, let high = digit(rest[rest.startIndex]),
          let low = digit(rest[rest.startIndex + 1])
        else {
          result.append(byte)
          continue
        }
        result.append(high << 4 | low)
        rest = rest.dropFirst(2)
      default: result.append(byte)
      }
    }
    guard let text = String(validating: result, as: UTF8.self) else {
      throw HTTPError(400, "The form is not UTF-8.")
    }
    return text
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
  }
}
