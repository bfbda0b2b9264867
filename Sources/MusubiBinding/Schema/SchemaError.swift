// SPDX-License-Identifier: Apache-2.0

/// A screen whose names or types cannot cross the wire; found when the server starts.
public struct SchemaError: Error, Equatable, CustomStringConvertible {
  /// The screen's name.
  public let screen: String
  /// The problem, and the remedy.
  public let problem: String

  /// An error of one screen.
  package init(screen: String, problem: String) {
    self.screen = screen
    self.problem = problem
  }

  /// One sentence with the screen's name.
  public var description: String { "Screen \"\(screen)\": \(problem)" }
}
