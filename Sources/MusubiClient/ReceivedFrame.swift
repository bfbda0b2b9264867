// SPDX-License-Identifier: Apache-2.0
package import MusubiText
package import MusubiWire

/// A frame of the server, as a client reads it.
package struct ReceivedFrame: Equatable, Sendable {
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
    case hello(ServerFrame.Hello)
    /// The whole state.
    case snapshot(Snapshot)
    /// A change of the state.
    case turn(Turn)
    /// Inputs up to the number have taken effect and are safe; the revision is that of the edit with the number.
    case acknowledged(Int, revision: Int?)
    /// Something was refused.
    case error(code: String, message: String, input: Int?)
    /// The session goes on.
    case resumed(ServerFrame.Resumed)
    /// A hand-over has ended: the names of what the page has to give up, and up to which number the inputs of the session
    /// before are part of the state.
    case handedOver(givenUp: [String], acknowledged: Int)
    /// What the page shows for its visitor alone, an object.
    case personal(Value)
    /// What of it has changed since the frame before.
    case personalPatch([Operation])
    /// Where the page may send files, by the names of its controls: an object.
    case uploads(Value)
    /// The session's stack of screens.
    case screens([ServerFrame.Screen], after: Int)
    /// The answer to `ping`.
    case pong(Int)
    /// The page's files changed.
    case reload(Value)
    /// A kind that this version does not know; to be ignored.
    case unknown(String)
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
    package var events: [ServerFrame.Event]

    package init(
      sequence: Int, patch: [Operation] = [], edits: [TextChange] = [], events: [ServerFrame.Event] = []
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
}
