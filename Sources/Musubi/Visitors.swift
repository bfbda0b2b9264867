// SPDX-License-Identifier: Apache-2.0
import MusubiSession

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

  /// Ends all sessions of a visitor, or those of one of its log-ins.
  ///
  /// Those with an open page, in whatever tab and browser; those that wait for their page or are stored; and those whose
  /// handshake is under way, whatever the hook said. Open pages come back at once, and the hook is asked who they are now:
  /// so change first what the hook looks at.
  ///
  /// To log out here, and not in other browsers, say which log-in it is:
  ///
  /// ```swift
  /// await visitors.endSessions(of: account.id, logIn: key)
  /// ```
  ///
  /// That ends the sessions of visitors who have the same `Visitor.logIn`, or none. One whose page is away, and that only the
  /// store has, stays: nobody but the visitor can go on with it.
  ///
  /// If several servers share the rooms, that is so on all of them.
  ///
  /// - Parameters:
  ///   - identity: The visitor's `Visitor.id`.
  ///   - logIn: The log-in, as `Visitor.logIn` names it; nil for all.
  /// - Returns: True when none of these sessions can be resumed any more, also after a restart: with a store that is after
  ///   its commit, and if the store refuses, when it takes changes again; in a cluster when each server that lives has said
  ///   so. False if the server does not run, or stopped before that; then repeat it when it runs.
  @discardableResult
  public func endSessions(of identity: String, logIn: String? = nil) async -> Bool {
    await loops.endSessions(of: SignedOut(identity, logIn: logIn))
  }
}
