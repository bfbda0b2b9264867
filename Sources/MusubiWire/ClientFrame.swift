// SPDX-License-Identifier: Apache-2.0
package import MusubiText

/// A frame that a client sends.
package enum ClientFrame: Equatable, Sendable {
  /// Something that the visitor did.
  case input(Input)
  /// Continues a session on a new connection.
  case resume(Resume)
  /// Hands a value that the page shows to a new session; of a long text, the next piece.
  case handOver(name: String, value: Value)
  /// Ends a hand-over: where the page stood in the old room's stream of turns, and what that room descends from.
  case endHandOver(at: StreamPosition, lineage: [StreamPosition])
  /// Tells where the visitor is in a two-way text, and that the page shows where others are.
  case caret(Caret)
  /// Asks for a `pong` with the same number.
  case ping(Int)

  /// The largest number of an input: what JavaScript counts exactly.
  package static let maximumNumber = (1 << 53) - 1

  /// A numbered event for one of a screen's inputs.
  package struct Input: Equatable, Sendable {
    /// What an input carries.
    package enum Payload: Equatable, Sendable {
      /// Nothing: a tap.
      case none
      /// A whole value; `null` is one, too.
      case value(Value)
      /// A change of a two-way text, against the highest revision that the client had applied.
      ///
      /// Its components are ascending; whether it fits the text is for the text's owner to find out.
      case edit(TextEdit, revision: Int)
      /// A change of a row's text that has no document yet, as it was at a turn: the last that the client had applied.
      ///
      /// `shown` is the text as the client shows it, if it is of a long list's row: what such rows show belongs to no turn.
      case firstEdit(TextEdit, sequence: Int, shown: String? = nil)
      /// The visitor leaves the screen of that number, and all above it.
      case back(Int)
      /// The visitor has closed the dialog of that name.
      case dismiss(String)
    }

    /// The client's own number, from 1, greater than every one before it in the session.
    package var number: Int
    /// The screen of the connection; 0 is the first.
    package var screen: Int
    /// The input's name.
    package var name: String
    /// The ids of the rows that the input comes from, outermost first; empty outside of lists.
    package var row: [String]
    /// What the input carries.
    package var payload: Payload

    package init(
      number: Int, name: String, payload: Payload = .none, row: [String] = [], screen: Int = 0
    ) {
      self.number = number
      self.name = name
      self.payload = payload
      self.row = row
      self.screen = screen
    }
  }

  /// Where the visitor is in a two-way text, as the page shows it with all edits that were sent before.
  package struct Caret: Equatable, Sendable {
    /// The text: an output's name, or the key of a row's text.
    package var text: String
    /// The screen of the connection; 0 is the first.
    package var screen: Int
    /// The text's highest revision that the client had applied.
    package var revision: Int
    /// The selection in UTF-16 units, empty for a caret; nil if the visitor is not in the text.
    package var selection: Range<Int>?

    package init(text: String, screen: Int = 0, revision: Int = 0, selection: Range<Int>? = nil) {
      self.text = text
      self.screen = screen
      self.revision = revision
      self.selection = selection
    }
  }

  /// A returning page's knowledge of its session.
  package struct Resume: Equatable, Sendable {
    /// The session's public name.
    package var session: String
    /// The latest token; a secret.
    package var token: String
    /// The epoch of the last turn or snapshot that was applied.
    package var epoch: String
    /// The sequence number of the last turn or snapshot that was applied.
    package var sequence: Int

    package init(session: String, token: String, epoch: String, sequence: Int) {
      self.session = session
      self.token = token
      self.epoch = epoch
      self.sequence = sequence
    }
  }
}

extension ByteBuffer {
  /// Appends a place in a stream of turns.
  package mutating func appendJSON(_ position: StreamPosition) {
    append(.leftBracket)
    appendJSON(position.epoch)
    append(.comma)
    appendJSON(position.sequence)
    append(.rightBracket)
  }

  /// Appends places in streams of turns.
  package mutating func appendJSON(_ lineage: [StreamPosition]) {
    append(.leftBracket)
    for position in lineage {
      appendJSON(position)
      append(.comma)
    }
    endList(.rightBracket)
  }

  /// Appends the screen of a frame unless it is the first.
  package mutating func appendScreen(_ screen: Int) {
    guard screen != 0 else { return }
    append(#","screen":"#, screen)
  }
}
