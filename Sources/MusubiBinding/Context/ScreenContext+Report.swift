// SPDX-License-Identifier: Apache-2.0

extension ScreenContext {
  /// Tells whoever runs the server that something went wrong which the screen copes with: a database that does not answer.
  ///
  /// ```swift
  /// do { try api.keep(card) } catch {
  ///   context.report(error)
  ///   hasFailed.accept(true)
  /// }
  /// ```
  ///
  /// It is a line `screen failed` of the log with the screen, its room, and who has caused it. Of one visitor such lines come
  /// once a second, with a count. Pages are told nothing; what they show is for the screen to say. A screen in a test has no log,
  /// and neither has one that has ended.
  ///
  /// - Parameter error: The error, which describes itself in one sentence.
  public func report(_ error: any Error) { (source as? any ProblemLog)?.report("\(error)") }
}

/// Where a screen's problems are told.
package protocol ProblemLog {
  /// Tells one.
  func report(_ problem: String)
}
