// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

/// The names and types of one screen, to which a page may bind.
///
/// It is read from one probe instance before the first client connects.
package struct ScreenSchema: Equatable, Sendable {
  /// One input that the screen takes.
  package struct Input: Equatable, Sendable {
    /// The name in the page and on the wire.
    package let name: String
    /// The kind of its values.
    package let kind: InputKind

    /// An input with its name and kind.
    package init(name: String, kind: InputKind) {
      self.name = name
      self.kind = kind
    }
  }

  /// A ViewModel that an output navigates to.
  package struct Destination: Equatable, Sendable {
    /// The output's name.
    package let output: String
    /// The ViewModel's type, by which its route is found.
    package let type: ObjectIdentifier
    /// The type's name, for messages.
    package let typeName: String
  }

  /// The inputs in the order of their declaration.
  package let inputs: [Input]
  /// The names of the outputs in the order of their declaration; they are their positions in a screen, too.
  package let outputs: [String]
  /// Those that a page binds; the others are for the client, such as the edited rows of a long list.
  package var shownOutputs: [String] { outputs.filter { !$0.contains("..") } }
  /// The names of the outputs that are events.
  package let events: [String]
  /// The positions in `outputs` of the names that are inputs as well: the two-way texts.
  package let twoWayOutputs: [Int]
  /// Where the outputs navigate to.
  package let destinations: [Destination]
  /// Which files the inputs take that take some, in rows too; known of a probe alone.
  package var files: [String: FileLimit] = [:]
  /// The values with which the outputs begin; known of a probe alone.
  package var samples: [String: Value] = [:]

  /// The schema of the declared names.
  package init(
    inputs: [Input], outputs: [String], events: [String] = [], destinations: [Destination] = []
  ) {
    self.inputs = inputs
    self.destinations = destinations
    self.events = events
    self.outputs = outputs
    let texts = Set(inputs.lazy.filter { $0.kind == .string }.map(\.name))
    twoWayOutputs = outputs.indices.filter { texts.contains(outputs[$0]) }
  }

  /// Eight hexadecimal digits that change when a name or a type does.
  ///
  /// FNV-1a (Fowler, Noll and Vo), folded to 32 bits: it only has to differ between two versions of one screen.
  package var fingerprint: String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    let words =
      inputs.map { "<\($0.name):\($0.kind.rawValue)" }.sorted() + outputs.map { ">\($0)" }.sorted()
      + events.map { "!\($0)" }.sorted()
    for word in words {
      for byte in word.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    }
    let digits = String(UInt32(truncatingIfNeeded: hash ^ (hash >> 32)), radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
