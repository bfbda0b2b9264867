// SPDX-License-Identifier: Apache-2.0

/// The visitors of an application while it runs: signs them out.
///
/// Views and models may hold it, on whatever thread:
///
/// ```swift
/// let visitors = application.visitors
/// application.screen("account", page: "account.html") { context in
///   AccountView(signOutEverywhere: {
///     guard let identity = context.visitor.id else { return }
///     Task { await visitors.endSessions(of: identity) }
///   })
/// }
/// ```
public struct Visitors: Sendable {
  private let loops: RunningLoops

  init(_ loops: RunningLoops) { self.loops = loops }

  /// Ends all sessions of a visitor.
  ///
  /// Those with an open page, in whatever tab and browser; those that wait for their page or are stored; and those whose
  /// handshake is under way, whatever the hook said. Open pages come back at once, and the hook is asked who they are now:
  /// so change first what the hook looks at.
  ///
  /// - Parameter identity: The visitor's `Visitor.id`.
  /// - Returns: True when none of these sessions can be resumed any more, also after a restart: with a store that is after
  ///   its commit, and if the store refuses, when it takes changes again. False if the server does not run, or stopped
  ///   before that; then repeat it when it runs.
  @discardableResult
  public func endSessions(of identity: String) async -> Bool { await loops.endSessions(of: identity) }
}
