// SPDX-License-Identifier: Apache-2.0
import MusubiBinding

/// Why nobody knows who a visitor is, or why it may not enter: as an answer in HTTP.
package struct VisitorRefusal: Error, Equatable {
  /// The status of the answer.
  package let status: UInt16
  /// A fixed word, as in Wire.md.
  package let code: String
  /// A sentence for people; empty if nobody but Musubi says it, so that the page does, in its own language.
  package let message: String
  /// The place where somebody logs in, so that it helps; nil for none.
  package var logIn: String?

  /// What there is to say to those who are no page.
  package var sentence: String { message.isEmpty ? Self.general : message }
  /// What is said where the application says nothing.
  package static let general = "You are not allowed to open this page."

  /// Too many visitors are being identified.
  package static let busy = Self(
    status: 503, code: "busy", message: "The server is busy with many visitors; come back in a moment.")
  /// The application has not answered in time.
  package static let timedOut = Self(
    status: 503, code: "timed-out",
    message: "The server could not find out who you are; come back in a moment.")
  /// The application has failed, or says nothing for people.
  package static let failed = Self(status: 401, code: "not-authorized", message: "")

  /// The application cannot tell at the moment, and says why.
  package static func passing(_ message: String) -> Self {
    Self(status: 503, code: timedOut.code, message: message)
  }

  /// The answer to what the application's hook has thrown; nil if the hook has failed.
  package init?(_ error: any Error) {
    switch error {
    case let refusal as VisitorRefusal: self = refusal
    case let denied as Denied where !denied.message.isEmpty:
      self.init(status: 401, code: "not-authorized", message: denied.message)
    case is Denied: self = .failed
    case let required as LogInRequired where required.problem == nil:
      self.init(status: 401, code: "not-authorized", message: required.message, logIn: required.place)
    default: return nil
    }
  }

  /// The log's words for a hook that has failed.
  package static func explanation(of error: any Error) -> String {
    (error as? LogInRequired)?.problem ?? "\(error)"
  }

  /// Whether the same may be granted in a moment: nobody was found to have no right.
  package var isPassing: Bool { status == 503 }

  init(status: UInt16, code: String, message: String, logIn: String? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.logIn = logIn
  }
}
