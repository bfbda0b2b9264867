// SPDX-License-Identifier: Apache-2.0
// Foundation is imported for `Date`, which travels as an ISO 8601 string.
import Foundation
import MusubiText
import MusubiWire

/// Takes what one `encode(to:)` of an author's type says, and makes it a value.
///
/// It compares while it listens: as long as nothing differs it builds nothing, and the result is the old
/// value itself. A node serves the next row or member again, with its container, so that an unchanged row
/// costs no memory.
final class EncodingNode: Encoder {
  private enum Content { case nothing, single, object, array }

  // `unowned`: an inner node ends before its outer one.
  private unowned let parent: EncodingNode?
  private var key: (any CodingKey)?
  private var content = Content.nothing
  private var single = Value.null
  private var members = EncodedMembers()
  private var elements = EncodedElements()
  private var old: Value?
  /// The node for inner values, kept for the next one.
  private var spare: EncodingNode?
  private var container: AnyObject?
  /// Whether the value is for a record, see `ValueEncoder.encodeRecord`.
  let isRecord: Bool

  init(isRecord: Bool = false) {
    parent = nil
    self.isRecord = isRecord
  }

  private init(inside parent: EncodingNode?, at key: (any CodingKey)?, isRecord: Bool) {
    self.parent = parent
    self.key = key
    self.isRecord = isRecord
  }

  var codingPath: [any CodingKey] { (parent?.codingPath ?? []) + (key.map { [$0] } ?? []) }

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The encoded value.
  var value: Value {
    switch content {
    case .nothing: .object(Value.Object())
    case .single: single
    case .object: members.value
    case .array: elements.value
    }
  }

  /// Encodes a value that is not plain.
  ///
  /// - Throws: `ValueEncodingError` with the place at which the author's `encode(to:)` refused.
  func encode(_ source: some Encodable, like old: Value?) throws -> Value {
    self.old = old
    defer { clear() }
    do {
      try source.encode(to: self)
    } catch let error as ValueEncodingError {
      throw error
    } catch {
      throw ValueEncodingError(error, at: codingPath)
    }
    return value
  }

  private func clear() {
    switch content {
    case .nothing: break
    case .single: single = .null
    case .object: members = EncodedMembers()
    case .array: elements = EncodedElements()
    }
    content = .nothing
    old = nil
  }

  /// Encodes the row of a list.
  ///
  /// - Throws: `ValueEncodingError`, which names the row by its id if it has one.
  func encode(row: some Encodable, at index: Int, like old: Value?) throws -> Value {
    key = IndexKey(index)
    do {
      return try encode(row, like: old)
    } catch var error as ValueEncodingError {
      if error.row == nil {
        error.row = (row as? any Identifiable).map { "with the id \"\(Self.id(of: $0))\"" }
      }
      throw error
    }
  }

  private static func id(of row: some Identifiable) -> String { String("\(row.id)".prefix(80)) }

  /// Lends a node for inner values.
  private func lend(at key: any CodingKey) -> EncodingNode {
    if spare != nil, isKnownUniquelyReferenced(&spare), let spare {
      spare.key = key
      return spare
    }
    let node = EncodingNode(inside: self, at: key, isRecord: isRecord)
    spare = node
    return node
  }

  // MARK: - Members

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if content != .object {
      content = .object
      members = EncodedMembers(like: old)
    }
    if let known = container as? EncodingContainer<Key> { return known.container }
    let made = EncodingContainer<Key>(KeyedEncodingContainer(EncodingMembers(node: self)))
    container = made
    return made.container
  }

  func set(_ value: Value, _ key: some CodingKey) {
    members.set(isRecord ? value.inRecord : value, key.stringValue)
  }

  func encode(_ source: some Encodable, forKey key: some CodingKey) throws {
    if let value = Value(plain: source, inRecord: isRecord) { return set(value, key) }
    set(try lend(at: key).encode(source, like: members.old(key.stringValue)), key)
  }

  /// An encoder whose result becomes a member when it is complete.
  func nested(_ key: some CodingKey) -> EncodingNode {
    let node = EncodingNode(inside: self, at: key, isRecord: isRecord)
    members.set(later: node, key.stringValue)
    return node
  }

  // MARK: - Elements

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if content != .array {
      content = .array
      elements = EncodedElements(like: old)
    }
    return EncodingElements(node: self)
  }

  var count: Int { elements.count }

  func append(_ value: Value) { elements.append(isRecord ? value.inRecord : value) }

  func encode(element source: some Encodable) throws {
    if let value = Value(plain: source, inRecord: isRecord) { return append(value) }
    append(try lend(at: IndexKey(count)).encode(row: source, at: count, like: elements.old))
  }

  /// An encoder whose result becomes an element when it is complete.
  func nested() -> EncodingNode {
    let node = EncodingNode(inside: self, at: IndexKey(count), isRecord: isRecord)
    elements.append(later: node)
    return node
  }

  // MARK: - A single value

  func singleValueContainer() -> any SingleValueEncodingContainer { EncodingSingle(node: self) }

  func set(_ value: Value) {
    content = .single
    single = isRecord ? value.inRecord : value
  }

  func encode(single source: some Encodable) throws {
    let node = EncodingNode(inside: parent, at: key, isRecord: isRecord)
    set(try node.encode(source, like: old))
  }
}

/// Keeps a container for the next value of the same type.
private final class EncodingContainer<Key: CodingKey> {
  let container: KeyedEncodingContainer<Key>

  init(_ container: KeyedEncodingContainer<Key>) { self.container = container }
}

/// The members of an object in the order of their encoding.
private struct EncodedMembers {
  private let oldObject: Value.Object?
  /// How many members are as they were, in the same order; nil as soon as one was not.
  private var matching: Int?
  private var object = Value.Object()
  private var later: [(key: String, node: EncodingNode)] = []

  init(like old: Value? = nil) {
    oldObject = old?.objectValue
    matching = oldObject.map { _ in 0 }
  }

  var value: Value {
    if let oldObject, let matching {
      if matching == oldObject.count { return .object(oldObject) }
      return .object(Value.Object(uniqueMembers: Array(oldObject.members[..<matching])))
    }
    var object = object
    for (key, node) in later { object[key] = node.value }
    return .object(object)
  }

  /// The old value of a member.
  func old(_ key: String) -> Value? {
    guard let oldObject else { return nil }
    if let matching, matching < oldObject.count, oldObject.members[matching].key.hasSameBytes(as: key) {
      return oldObject.members[matching].value
    }
    return oldObject[key]
  }

  mutating func set(_ value: Value, _ key: String) {
    if let matching, let oldObject {
      if matching < oldObject.count, oldObject.members[matching].key.hasSameBytes(as: key),
        oldObject.members[matching].value == value
      {
        self.matching = matching + 1
        return
      }
      differ()
    }
    object[key] = value
  }

  mutating func set(later node: EncodingNode, _ key: String) {
    differ()
    object[key] = .null
    later.append((key, node))
  }

  private mutating func differ() {
    guard let matching, let oldObject else { return }
    var members: [Value.Object.Member] = []
    members.reserveCapacity(oldObject.count)
    members.append(contentsOf: oldObject.members[..<matching])
    object = Value.Object(uniqueMembers: members)
    self.matching = nil
  }
}

/// The elements of an array.
private struct EncodedElements {
  private let oldElements: [Value]
  /// How many elements are as they were; nil as soon as one was not.
  private var matching: Int? = 0
  private var elements: [Value] = []
  private var later: [(index: Int, node: EncodingNode)] = []

  init(like old: Value? = nil) { oldElements = old?.arrayValue ?? [] }

  var count: Int { matching ?? elements.count }

  var value: Value {
    if let matching {
      return .array(matching == oldElements.count ? oldElements : Array(oldElements[..<matching]))
    }
    var elements = elements
    for (index, node) in later { elements[index] = node.value }
    return .array(elements)
  }

  /// What the next element was.
  var old: Value? { count < oldElements.count ? oldElements[count] : nil }

  mutating func append(_ value: Value) {
    if let matching {
      if matching < oldElements.count, oldElements[matching] == value {
        self.matching = matching + 1
        return
      }
      differ()
    }
    elements.append(value)
  }

  mutating func append(later node: EncodingNode) {
    differ()
    later.append((elements.count, node))
    elements.append(.null)
  }

  private mutating func differ() {
    guard let matching else { return }
    elements.reserveCapacity(oldElements.count)
    elements.append(contentsOf: oldElements[..<matching])
    self.matching = nil
  }
}

extension Value {
  /// The value of what needs no container; nil of anything else.
  ///
  /// Types are compared before anything is cast, which costs much less than a cast that fails.
  init?<Source>(plain source: Source, inRecord isRecord: Bool = false) {
    if Source.self == String.self, let text = source as? String {
      self = .string(text)
    } else if Source.self == Int.self, let number = source as? Int {
      self = .integer(Int64(number))
    } else if Source.self == Bool.self, let flag = source as? Bool {
      self = .bool(flag)
    } else if Source.self == Double.self, let number = source as? Double {
      self = .number(number)
    } else if Source.self == Date.self, let date = source as? Date {
      self = isRecord ? Value(recording: date) : .string(date.formatted(.iso8601))
    } else {
      return nil
    }
  }

  private static var dateKey: String { "$date" }

  /// A point in time as a record has it: a text if that has all of it, else `{"$date": "…"}`, the seconds since 2001.
  private init(recording date: Date) {
    let seconds = date.timeIntervalSinceReferenceDate
    // For three centuries, of whose years the text is sure.
    let isWhole = seconds.rounded() == seconds && abs(seconds) < 1e10
    self = isWhole ? .string(date.formatted(.iso8601)) : [Self.dateKey: .string(seconds.description)]
  }

  /// The point in time of a record that is no text; nil if the value is none.
  var recordedDate: Date? {
    guard case .object(let object) = self, object.count == 1,
      let seconds = object[Self.dateKey]?.stringValue.flatMap(Double.init)
    else { return nil }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }
}
