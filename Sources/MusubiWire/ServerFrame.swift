// SPDX-License-Identifier: Apache-2.0

/// The contents of the server's frames, but for changes of a screen's state.
package enum ServerFrame {
  /// A new session.
  package struct Hello: Equatable, Sendable {
    /// The version of the protocol; 1.
    package var version: Int
    /// The session's public name.
    package var session: String
    /// The token to resume it with; a secret.
    package var token: String
    /// An opaque name of whose session it is; nil if the server does not say.
    package var visitor: String?
    /// Changes when the screen's names or types do.
    package var schema: String
    /// The server expects to hear something at least every so many seconds.
    package var heartbeat: Int
    /// The most that the server takes; nil if it does not say.
    package var limits: Limits?
    /// The inputs of the first screen that the page may not send; nil for a screen without rules.
    package var forbidden: [String]?
    /// The screen's names, from a development server only; not part of the protocol.
    package var names: Names?

    package init(version: Int = 1, session: String, token: String, schema: String, heartbeat: Int) {
      self.version = version
      self.session = session
      self.token = token
      self.schema = schema
      self.heartbeat = heartbeat
    }
  }

  /// The most that a server takes; sizes in bytes of UTF-8.
  package struct Limits: Equatable, Sendable {
    /// A frame's payload.
    package var frame: Int
    /// A two-way text.
    package var text: Int
    /// How many `caret` frames a second; 0 from a server that knows none.
    package var carets: Int

    package init(frame: Int, text: Int, carets: Int = 0) {
      self.frame = frame
      self.text = text
      self.carets = carets
    }
  }

  /// The names that a page may bind to, so that it can tell its author about a misspelt one.
  package struct Names: Equatable, Sendable {
    /// The screen's name.
    package var screen: String
    /// The names of its inputs.
    package var inputs: [String]
    /// The names of its outputs.
    package var outputs: [String]
    /// The names of its events, the questions of dialogs among them.
    package var events: [String]
    /// Who the page's visitor is.
    package var visitor: Value

    package init(screen: String, inputs: [String], outputs: [String], events: [String], visitor: Value = [:])
    {
      self.screen = screen
      self.inputs = inputs
      self.outputs = outputs
      self.events = events
      self.visitor = visitor
    }
  }

  /// Something that happens once and is no part of the state, or the question of a dialog.
  package struct Event: Equatable, Sendable {
    /// The output's name.
    package var name: String
    /// Its value, if it has one.
    package var value: Value?

    package init(name: String, value: Value? = nil) {
      self.name = name
      self.value = value
    }
  }

  /// A session that goes on.
  package struct Resumed: Equatable, Sendable {
    /// The session's public name.
    package var session: String
    /// The new token.
    package var token: String
    /// As in `Hello`.
    package var visitor: String?
    /// Inputs up to here have been taken.
    package var acknowledged: Int
    /// Changes when the screen's names or types do.
    package var schema: String
    /// How many turns the client has missed and gets next; nil if it gets a snapshot instead.
    package var turns: Int?
    /// Edits of this client that its position does not include yet, and what they became.
    package var own: [OwnEdit]
    /// As in `Hello`.
    package var forbidden: [String]?
    /// As in `Hello`.
    package var names: Names?

    package init(
      session: String, token: String, acknowledged: Int, schema: String = "", turns: Int? = nil,
      own: [OwnEdit] = []
    ) {
      self.session = session
      self.token = token
      self.acknowledged = acknowledged
      self.schema = schema
      self.turns = turns
      self.own = own
    }
  }

  /// One screen of a session's stack.
  package struct Screen: Equatable, Sendable {
    /// The screen's number on the connection.
    package var number: Int
    /// The screen's name.
    package var name: String
    /// The address of its page.
    package var path: String
    /// The dialog that is open on it.
    package var dialog: Event?

    package init(number: Int, name: String, path: String, dialog: Event? = nil) {
      self.number = number
      self.name = name
      self.path = path
      self.dialog = dialog
    }
  }

  /// Where people are in one two-way text.
  package struct Carets: Equatable, Sendable {
    /// One page's caret or selection.
    package struct Caret: Equatable, Sendable {
      /// The page's number in the room.
      package var page: Int
      /// Its visitor's name for others; empty without one.
      package var name: String
      /// In UTF-16 units.
      package var selection: Range<Int>

      package init(page: Int, name: String, selection: Range<Int>) {
        self.page = page
        self.name = name
        self.selection = selection
      }
    }

    /// An output's name, or the key of a row's text.
    package var text: String
    /// The revision that the selections refer to.
    package var revision: Int
    /// Who has moved last comes last.
    package var all: [Caret]

    package init(text: String, revision: Int, all: [Caret] = []) {
      self.text = text
      self.revision = revision
      self.all = all
    }
  }

  /// Which revision an edit became.
  package struct OwnEdit: Equatable, Sendable {
    /// The input's number.
    package var number: Int
    /// The revision.
    package var revision: Int

    package init(number: Int, revision: Int) {
      self.number = number
      self.revision = revision
    }
  }
}
