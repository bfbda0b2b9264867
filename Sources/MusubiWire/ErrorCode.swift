// SPDX-License-Identifier: Apache-2.0

/// Why the server refused something, as the `error` frame says it.
package enum ErrorCode: String, Sendable, CaseIterable {
  /// The screen has no such input, or the frame is of no known kind.
  case unknownInput = "unknown-input"
  /// The input takes another type.
  case wrongType = "wrong-type"
  /// No JSON object, a member of the wrong type, or an edit outside the text.
  case malformed = "malformed"
  /// The visitor may not send the input.
  case notAllowed = "not-allowed"
  /// The value exceeds the input's limit.
  case tooLarge = "too-large"
  /// There is no such upload for the input, or another input has had it.
  case unknownUpload = "unknown-upload"
  /// The row has gone.
  case unknownRow = "unknown-row"
  /// The server has no space for another room.
  case full
  /// The visitor, or its address, has too many rooms.
  case tooMany = "too-many"
  /// The session shows as many screens as it may.
  case tooManyScreens = "too-many-screens"
  /// The session has expired, or the server has no memory of it.
  case sessionUnknown = "session-unknown"
  /// The resume token is wrong.
  case tokenRefused = "token-refused"
  /// The session belongs to another visitor than the one who asks for it.
  case visitorChanged = "visitor-changed"
  /// The page's path names nothing that exists.
  case notFound = "not-found"
  /// The screen failed.
  case internalFailure = "internal"
}
