// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

/// A parsed script: steps in the order in which they run.
package struct Script: Equatable, Sendable {
  /// The file's name as given.
  package var file: String
  /// The steps, with included files in their place.
  package var steps: [Step]

  /// The file's name without its folders, the same wherever the script is run from.
  var name: String { String(file.split(separator: "/").last ?? "") }
}

/// One line of a script, or a block of lines.
package struct Step: Equatable, Sendable {
  /// Where the step's verb stands.
  package var location: SourceLocation
  /// The line as written, without comment and indentation; a block shows its first line.
  package var source: String
  /// What to do.
  package var action: Action
}

/// The action of a step.
package indirect enum Action: Equatable, Sendable {
  /// Opens a page, and waits for its first snapshot or for the refusal that `options` expects.
  case open(client: String, target: Template, options: OpenOptions)
  /// Opens a page at the address and with the options of another client.
  case openLike(client: String, model: String, options: OpenOptions)
  /// Waits until the condition holds; fails at the deadline.
  case expect(Condition)
  /// Watches that the condition holds all the time.
  case still(Condition, for: Duration)
  /// Types characters at the caret, one edit each.
  case type(Path, Expression)
  /// Deletes characters before the caret, one edit each.
  case erase(Path, count: Int)
  /// Moves the caret.
  case caret(Path, CaretPlace)
  /// Sends a whole value.
  case set(Path, Expression)
  /// Sends an input without a value.
  case tap(Path)
  /// Sends a file of the script's folder to a control, and then the input that names it.
  case upload(Path, folder: String, Template)
  /// Puts a row elsewhere.
  case drag(Path, RowDestination)
  /// Looks at rows of a long list, which are shown from then on: all rows, or those that a word finds.
  case look(Path, first: Int, count: Int, word: Expression?)
  /// Waits until everything is acknowledged and all pages of a room are at its position.
  case settle
  /// Cuts the connection without a close frame.
  case drop(client: String)
  /// Says another cookie, or none, from the next connection on.
  case cookie(client: String, Template?)
  /// Connects again and continues the session.
  case resume(client: String)
  /// Reloads the page: the session and its unacknowledged inputs stay, the state is forgotten.
  case reload(client: String)
  /// Closes the page for good, with 1001.
  case close(client: String)
  /// Sends a text frame as it is written.
  case raw(client: String, Template)
  /// Sends a binary frame.
  case rawBinary(client: String, Template)
  /// Keeps a value under a name.
  case save(name: String, Expression)
  /// Stops reading from the socket.
  case stall(client: String)
  /// Reads from the socket again.
  case wake(client: String)
  /// Holds every byte back for a time, both ways, as a line with jitter and loss does.
  case delay(client: String, LineConditions)
  /// Cuts the connection once so many more bytes went one way.
  case cut(client: String, bytes: Int, CutDirection)
  /// Ends the server by SIGKILL.
  case killServer
  /// Ends the server by SIGTERM and waits until it has gone.
  case stopServer
  /// Starts the server on the same port and data; stops it first if it still runs.
  case restartServer
  /// Goes back in the page's history; for screens with navigation.
  case back(client: String)
  /// Answers the open dialog; for screens with dialogs.
  case answer(client: String, Expression)
  /// Runs each step of the block at the same time.
  case parallel([Step])
  /// Runs the block several times.
  case repeats(count: Int, [Step])
  /// Runs one step with another deadline.
  case within(Duration, Step)
  /// Runs the steps of an included file.
  case include([Step])
}

/// Where a row goes.
package enum RowDestination: Equatable, Sendable {
  /// In front of that row.
  case before(Path)
  /// To the end of that list.
  case end(of: Path)
}

/// How a page is opened.
package struct OpenOptions: Equatable, Sendable {
  /// Whole values instead of edits.
  package var isPlain = false
  /// The `Origin` header; none if nil.
  package var origin: Template?
  /// The `Cookie` header; none if nil.
  package var cookie: Template?
  /// Who the page's visitor is; whoever the application says if nil.
  package var visitor: ScriptVisitor?
  /// The subprotocol to ask for.
  package var subprotocol = "musubi.v1"
  /// The HTTP status with which the server is expected to refuse.
  package var refusal: Int?
  /// The code in the refusal's body.
  package var refusalCode: String?
}

/// A visitor whom a script makes.
package struct ScriptVisitor: Equatable, Sendable {
  /// The visitor's id and name.
  package var name: Template
  /// The visitor's roles, in the application's own words.
  package var roles: [String] = []
}

/// Which bytes a cut counts.
package enum CutDirection: Equatable, Sendable {
  /// Bytes from the client to the server.
  case sent
  /// Bytes from the server to the client.
  case received
}

/// Where a caret goes.
package enum CaretPlace: Equatable, Sendable {
  /// Before the first character.
  case start
  /// After the last character.
  case end
  /// The whole text is selected; the next typing replaces it.
  case all
  /// So many characters from the start; no further than the end.
  case offset(Int)
}

/// Text with variables in it.
package struct Template: Equatable, Sendable {
  /// A piece of a template.
  package enum Part: Equatable, Sendable {
    /// Text that stays as it is.
    case text(String)
    /// A variable's name.
    case variable(String)
  }

  /// The pieces in order.
  package var parts: [Part]

  package init(_ parts: [Part]) { self.parts = parts }
}

/// A value to send or to compare with.
package indirect enum Expression: Equatable, Sendable {
  /// Quoted text.
  case text(Template)
  /// A number.
  case number(Double)
  /// `true` or `false`.
  case bool(Bool)
  /// `null`.
  case null
  /// A saved value.
  case variable(String)
  /// A value that a client sees.
  case path(Path)
  /// A text several times in a row.
  case repeated(Expression, Int)
}

/// A place in a client's state, such as `a.contents[id=$x].title`.
package struct Path: Equatable, Sendable {
  /// One step into the value.
  package enum Segment: Equatable, Sendable {
    /// A member, or `count` of a list.
    case member(String)
    /// A row by its position, from 0.
    case index(Int)
    /// The row whose member has this value.
    case row(member: String, Expression)
  }

  /// Where the path starts in the script.
  package var location: SourceLocation
  /// The client's name.
  package var client: String
  /// The steps; at least one.
  package var segments: [Segment]
}

/// What `expect` and `still` look at.
package enum Condition: Equatable, Sendable {
  /// Compares two values.
  case comparison(Expression, Comparison, Expression)
  /// Searches a text for a regular expression.
  case matches(Expression, pattern: String)
  /// There is (or is not) such a value.
  case presence(Path, isPresent: Bool)
  /// An error frame with this code has come, and no step has asked for it yet.
  case error(client: String, code: String)
  /// The connection was closed with this code.
  case close(client: String, code: Int)
  /// An event of this name has come, and no step has asked for it yet.
  case event(client: String, name: String, Comparison?, Expression?)
  /// The last resume brought this.
  case resumed(client: String, by: ResumeKind)
}

/// An operator between two values.
package enum Comparison: String, CaseIterable, Sendable {
  case equal = "="
  case unequal = "!="
  case lessOrEqual = "<="
  case greaterOrEqual = ">="
  case less = "<"
  case greater = ">"
}

/// How a session went on after a resume.
package enum ResumeKind: String, Sendable {
  /// The missing turns came.
  case patches
  /// A snapshot came.
  case snapshot
  /// The session was gone; a new one began.
  case afresh
}
