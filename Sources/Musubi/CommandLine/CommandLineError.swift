// SPDX-License-Identifier: Apache-2.0

/// A command line or an environment that cannot be used; found before anything starts.
public struct CommandLineError: Error, Equatable, CustomStringConvertible {
  /// One sentence: the actual and the expected value.
  public let description: String

  /// An error with its sentence.
  public init(_ description: String) { self.description = description }
}
