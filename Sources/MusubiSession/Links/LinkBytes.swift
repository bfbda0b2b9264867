// SPDX-License-Identifier: Apache-2.0

/// Why bytes of a link are not understood.
package struct LinkError: Error, Equatable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

/// Writes what goes over a link to another node.
///
/// ```
/// number    seven bits a byte, the lowest first; all but the last byte have the highest bit
/// string    number of bytes, UTF-8
/// duration  seconds, attoseconds
/// ```
struct LinkWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ byte: UInt8) { bytes.append(byte) }

  mutating func append(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

  mutating func append(_ number: Int) {
    precondition(number >= 0, "A link carries no negative numbers.")
    var rest = number
    while rest > 0x7f {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func append(_ data: some Collection<UInt8>) {
    append(data.count)
    bytes.append(contentsOf: data)
  }

  mutating func append(_ text: String) { append(text.utf8) }

  /// Writes whether there is something, and then what.
  mutating func append<Element>(
    _ element: Element?, _ write: (inout LinkWriter, Element) -> Void
  ) {
    append(element != nil)
    if let element { write(&self, element) }
  }

  /// Writes how many there are, and then each.
  mutating func append<Elements: Collection>(
    all elements: Elements, _ write: (inout LinkWriter, Elements.Element) -> Void
  ) {
    append(elements.count)
    for element in elements { write(&self, element) }
  }

  /// Writes a time; one that is below zero counts as zero.
  mutating func append(_ duration: Duration) {
    let (seconds, attoseconds) = max(duration, .zero).components
    append(Int(seconds))
    append(Int(attoseconds))
  }
}

/// Reads what `LinkWriter` has written, and believes no length before it has looked.
struct LinkReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// How many bytes are left.
  var left: Int { bytes.count - offset }

  mutating func byte() throws(LinkError) -> UInt8 {
    guard offset < bytes.count else { throw LinkError("it ends at byte \(offset), in the middle") }
    offset += 1
    return bytes[offset - 1]
  }

  mutating func flag() throws(LinkError) -> Bool {
    let byte = try byte()
    guard byte < 2 else { throw LinkError("byte \(offset - 1) says neither yes nor no") }
    return byte == 1
  }

  /// A number below a limit.
  mutating func number(below limit: Int = .max) throws(LinkError) -> Int {
    var number = 0
    var shift = 0
    while true {
      let byte = try byte()
      number |= Int(byte & 0x7f) << shift
      guard byte & 0x80 != 0 else { break }
      shift += 7
      guard shift < 63 else { throw LinkError("the number before byte \(offset) is too long") }
    }
    guard number < limit else { throw LinkError("the number before byte \(offset) is too large: \(number)") }
    return number
  }

  /// How many things follow, each of which takes a byte at least.
  mutating func count() throws(LinkError) -> Int {
    let count = try number()
    guard count <= left else { throw LinkError("\(count) do not fit behind byte \(offset)") }
    return count
  }

  mutating func data() throws(LinkError) -> UnsafeRawBufferPointer {
    let count = try count()
    offset += count
    return UnsafeRawBufferPointer(rebasing: bytes[(offset - count)..<offset])
  }

  mutating func text() throws(LinkError) -> String {
    guard let text = String(validating: try data(), as: UTF8.self) else {
      throw LinkError("the text before byte \(offset) is not UTF-8")
    }
    return text
  }

  mutating func optional<Element>(
    _ read: (inout LinkReader) throws(LinkError) -> Element
  ) throws(LinkError) -> Element? {
    try flag() ? try read(&self) : nil
  }

  mutating func all<Element>(
    _ read: (inout LinkReader) throws(LinkError) -> Element
  ) throws(LinkError) -> [Element] {
    var elements: [Element] = []
    for _ in 0..<(try count()) { elements.append(try read(&self)) }
    return elements
  }

  mutating func duration() throws(LinkError) -> Duration {
    let seconds = try number()
    return Duration(
      secondsComponent: Int64(seconds),
      attosecondsComponent: Int64(try number(below: 1_000_000_000_000_000_000)))
  }
}
