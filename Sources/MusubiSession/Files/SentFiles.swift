// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding

/// Where visitors send files, and where rooms find those that have arrived; asked on the loops, and never waits.
package protocol SentFiles: Sendable {
  /// The address at which a visitor may send files to a control, and nobody else.
  ///
  /// - Parameters:
  ///   - control: The control.
  ///   - limit: Which files it takes.
  /// - Returns: A path of this server.
  /// - Throws: If there cannot be one, because the visitor's id is too long.
  func address(for control: FileControl, _ limit: FileLimit) throws -> String

  /// A file that was sent to a control, for an input that names it.
  ///
  /// - Parameters:
  ///   - upload: The upload's token.
  ///   - control: The control that gets it.
  ///   - input: Names the input; nobody but the same input gets the file again.
  /// - Returns: The file.
  /// - Throws: `BindingError` `unknown-upload` if there is none for this control, or another input has had it.
  func file(_ upload: String, for control: FileControl, by input: String) throws(BindingError) -> UploadedFile
}
