// SPDX-License-Identifier: Apache-2.0
package import MusubiText

/// A frame that the server sends, as a client reads it.
package struct ServerFrame: Equatable, Sendable {
  /// The screen of the connection that the frame belongs to; 0 is the first.
  package var screen: Int
  /// What the frame says.
  package var content: Content

  package init(_ content: Content, screen: Int = 0) {
    self.content = content
    self.screen = screen
  }

  /// The kinds of frames.
  package enum Content: Equatable, Sendable {
    /// A new session.
    case hello(Hello)
    /// The whole state.
    case snapshot(Snapshot)
    /// A change of the state.
    case turn(Turn)
    /// Inputs up to the number have taken effect and are safe; the revision is that of the edit with the number.
    case acknowledged(Int, revision: Int?)
    /// Something was refused.
    case error(code: String, message: String, input: Int?)
    /// The session goes on.
    case resumed(Resumed)
    /// A hand-over has ended: the names of what the page has to give up, and up to which number the inputs of the session
    /// before are part of the state.
    case handedOver(givenUp: [String], acknowledged: Int)
    /// The session's stack of screens.
    case screens([Screen])
    /// The answer to `ping`.
    case pong(Int)
    /// The page's files changed.
    case reload(Value)
    /// A kind that this version does not know; to be ignored.
    case unknown(String)
  }

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
    /// What the server takes at most; nil if it does not say.
    package var limits: Limits?
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

  /// The most that a server takes, in bytes of UTF-8.
  package struct Limits: Equatable, Sendable {
    /// A frame's payload.
    package var frame: Int
    /// A two-way text.
    package var text: Int

    package init(frame: Int, text: Int) {
      self.frame = frame
      self.text = text
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

    package init(screen: String, inputs: [String], outputs: [String]) {
      self.screen = screen
      self.inputs = inputs
      self.outputs = outputs
    }
  }

  /// The whole state of a screen.
  package struct Snapshot: Equatable, Sendable {
    /// One member for each output that has a value.
    package var state: Value
    /// The identity of the stream of turns.
    package var epoch: String
    /// The number of the last turn that is part of the state.
    package var sequence: Int
    /// The revision of each two-way text by its key.
    package var revisions: [String: Int]
    /// The streams of turns that the room descends from, oldest first.
    package var lineage: [StreamPosition] = []

    package init(state: Value, epoch: String, sequence: Int, revisions: [String: Int] = [:]) {
      self.state = state
      self.epoch = epoch
      self.sequence = sequence
      self.revisions = revisions
    }
  }

  /// One change of a screen's state.
  package struct Turn: Equatable, Sendable {
    /// The turn's number in its epoch.
    package var sequence: Int
    /// The changes of the state, applied first.
    package var patch: [Operation]
    /// The changes of two-way texts, applied second.
    package var edits: [TextChange]
    /// What happened once.
    package var events: [Event]

    package init(
      sequence: Int, patch: [Operation] = [], edits: [TextChange] = [], events: [Event] = []
    ) {
      self.sequence = sequence
      self.patch = patch
      self.edits = edits
      self.events = events
    }
  }

  /// The changes of one two-way text in a turn.
  package struct TextChange: Equatable, Sendable {
    /// The text's key: its name, or for a text in a row the way to it by ids.
    package var name: String
    /// The revision after the last step.
    package var revision: Int
    /// The text before the first step, if a row's document begins with it.
    package var text: String?
    /// The edits, one after the other, each one revision.
    package var steps: [TextEdit]

    package init(name: String, revision: Int, steps: [TextEdit]) {
      self.name = name
      self.revision = revision
      self.steps = steps
    }
  }

  /// Something that happens once and is no part of the state.
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
    package var dialog: Dialog?

    package init(number: Int, name: String, path: String, dialog: Dialog? = nil) {
      self.number = number
      self.name = name
      self.path = path
      self.dialog = dialog
    }
  }

  /// A question that a screen asks.
  package struct Dialog: Equatable, Sendable {
    /// The name of the output that asks.
    package var name: String
    /// Its subject, if it has one.
    package var value: Value?

    package init(name: String, value: Value? = nil) {
      self.name = name
      self.value = value
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
