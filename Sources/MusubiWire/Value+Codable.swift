// SPDX-License-Identifier: Apache-2.0
package import MusubiText

/// So that records that hold values can be stored and read back by any coder; the order of an object's members is lost.
extension Value: Codable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Reads a value of any kind.
  ///
  /// - Parameter decoder: Where it is.
  /// - Throws: `DecodingError` if it is nothing that JSON knows.
  public init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: Name.self) {
      var object = Object()
      for name in members.allKeys { object[name.stringValue] = try members.decode(Value.self, forKey: name) }
      self = .object(object)
    } else if var elements = try? decoder.unkeyedContainer() {
      var array: [Value] = []
      while !elements.isAtEnd { array.append(try elements.decode(Value.self)) }
      self = .array(array)
    } else {
      let single = try decoder.singleValueContainer()
      if single.decodeNil() {
        self = .null
      } else if let flag = try? single.decode(Bool.self) {
        self = .bool(flag)
      } else if let integer = try? single.decode(Int64.self) {
        self = .integer(integer)
      } else if let number = try? single.decode(Double.self) {
        self = .number(number)
      } else {
        self = .string(try single.decode(String.self))
      }
    }
  }

  /// Writes the value.
  ///
  /// - Parameter encoder: Where to.
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let object):
      var container = encoder.container(keyedBy: Name.self)
      for member in object.members {
        try container.encode(member.value, forKey: Name(stringValue: member.key))
      }
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let flag):
      var container = encoder.singleValueContainer()
      try container.encode(flag)
    case .integer(let integer):
      var container = encoder.singleValueContainer()
      try container.encode(integer)
    case .number(let number):
      var container = encoder.singleValueContainer()
      if number.isFinite { try container.encode(number) } else { try container.encodeNil() }
    case .string(let text):
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }
}

/// An edit is coded as in a frame: a list of `[position, deleted, inserted]`.
extension TextEdit: Codable {
  package init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    var components: [Component] = []
    while !list.isAtEnd {
      var place = try list.nestedUnkeyedContainer()
      components.append(
        Component(
          position: try place.decode(Int.self), deleted: try place.decode(Int.self),
          inserted: try place.decode(String.self)))
    }
    self.init(components)
  }

  package func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    for component in components {
      var place = list.nestedUnkeyedContainer()
      try place.encode(component.position)
      try place.encode(component.deleted)
      try place.encode(component.inserted)
    }
  }
}
