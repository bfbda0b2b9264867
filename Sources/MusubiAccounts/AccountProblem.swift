// SPDX-License-Identifier: Apache-2.0

/// Why an account does not do what it was asked for; a page says it as a sentence next to its field.
public enum AccountProblem: Error, Equatable, Sendable {
  /// The text is no e-mail address.
  case addressInvalid
  /// Another account has the address; told only where no links are sent.
  case addressTaken
  /// The name is empty, too long, or has control characters.
  case nameInvalid
  /// The password has fewer characters than that.
  case passwordTooShort(Int)
  /// The password is longer than 256 bytes, or has control characters.
  case passwordUnusable
  /// The password is one that everybody tries first, or the account's own address or name.
  case passwordCommon
  /// Address and password do not belong together; there may be no such account.
  case credentialsWrong
  /// The link was used, is too old, or never was one.
  case linkInvalid
  /// Nobody is logged in.
  case notLoggedIn
  /// There were too many attempts; the next one counts after so many seconds.
  case tooMany(seconds: Int)
  /// The server computes as many hashes as it may; a later attempt succeeds.
  case busy
}
