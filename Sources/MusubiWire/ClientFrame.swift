// SPDX-License-Identifier: Apache-2.0

/// A frame that a client sends.
package enum ClientFrame: Equatable, Sendable {
  /// Something that the visitor did.
  case input(Input)
  /// Continues a session on a new connection.
  case resume(Resume)
  /// Tells a fresh session what a text was before the server lost its memory.
  case restore(Restore)
  /// Ends what a page tells of its texts; `author` is its name among those who have edited them, `last` the number of the
  /// last input that it has made so far.
  case restored(author: String, last: Int)
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

  /// What a returning page knows of its session.
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

  /// A two-way text, or a piece of one, as a page knew it in an earlier life of its room.
  package struct Restore: Equatable, Codable, Sendable {
    /// The stream of turns that it comes from; empty if the page no longer knows it.
    package var epoch: String
    /// The text's name.
    package var name: String
    /// Its revision then.
    package var revision: Int
    /// What comes behind the pieces before it.
    package var text: String
    /// For each author the number of the last input that is part of the text.
    package var by: [String: Int]

    package init(epoch: String, name: String, revision: Int, text: String, by: [String: Int] = [:]) {
      self.epoch = epoch
      self.name = name
      self.revision = revision
      self.text = text
      self.by = by
    }
  }
}

extension [UInt8] {
  /// Appends a client's frame as JSON, without a WebSocket header.
  package mutating func appendJSON(_ frame: ClientFrame) {
    switch frame {
    case .ping(let number):
      appendRaw(#"{"ping":"#)
      appendJSON(number)
      append(.rightBrace)
    case .resume(let resume):
      appendRaw(#"{"resume":{"session":"#)
      appendJSON(resume.session)
      appendRaw(#","token":"#)
      appendJSON(resume.token)
      appendRaw(#","position":["#)
      appendJSON(resume.epoch)
      append(.comma)
      appendJSON(resume.sequence)
      appendRaw("]}}")
    case .restored(let author, let last):
      appendRaw(#"{"restore":{"author":"#)
      appendJSON(author)
      appendRaw(#","last":"#)
      appendJSON(last)
      appendRaw("}}")
    case .restore(let text):
      appendRaw(#"{"restore":{"epoch":"#)
      appendJSON(text.epoch)
      appendRaw(#","name":"#)
      appendJSON(text.name)
      appendRaw(#","revision":"#)
      appendJSON(text.revision)
      appendRaw(#","text":"#)
      appendJSON(text.text)
      appendAuthors(text.by)
      appendRaw("}}")
    case .input(let input): appendJSON(input)
    }
  }

  private mutating func appendJSON(_ input: ClientFrame.Input) {
    appendRaw(#"{"input":"#)
    appendJSON(input.number)
    switch input.payload {
    case .back, .dismiss: break
    case .none, .value, .edit:
      appendRaw(#","name":"#)
      appendJSON(input.name)
    }
    switch input.payload {
    case .none: break
    case .back(let screen):
      appendRaw(#","back":"#)
      appendJSON(screen)
    case .dismiss(let dialog):
      appendRaw(#","dismiss":"#)
      appendJSON(dialog)
    case .value(let value):
      appendRaw(#","value":"#)
      appendJSON(value)
    case .edit(let edit, let revision):
      appendRaw(#","revision":"#)
      appendJSON(revision)
      appendRaw(#","edits":"#)
      appendJSON(edit)
    }
    if input.row.count == 1 {
      appendRaw(#","row":"#)
      appendJSON(input.row[0])
    } else if !input.row.isEmpty {
      appendRaw(#","row":"#)
      appendJSON(Value.array(input.row.map(Value.string)))
    }
    appendScreen(input.screen)
    append(.rightBrace)
  }

  /// Appends the last inputs of authors, sorted by name, unless there is none.
  mutating func appendAuthors(_ by: [String: Int]) {
    guard !by.isEmpty else { return }
    appendRaw(#","by":"#)
    appendNumbers(by)
  }

  /// Appends an object of numbers, sorted by name.
  mutating func appendNumbers(_ numbers: [String: Int]) {
    append(.leftBrace)
    for (index, number) in numbers.sorted(by: { $0.key < $1.key }).enumerated() {
      if index > 0 { append(.comma) }
      appendJSON(number.key)
      append(.colon)
      appendJSON(number.value)
    }
    append(.rightBrace)
  }

  /// Appends the screen of a frame unless it is the first.
  mutating func appendScreen(_ screen: Int) {
    guard screen != 0 else { return }
    appendRaw(#","screen":"#)
    appendJSON(screen)
  }
}
