// SPDX-License-Identifier: Apache-2.0

/// Who shares a screen's state.
///
/// ```swift
/// application.screen("board", scope: .room(default: "main"), page: "board.html") { _ in BoardView() }
/// ```
public enum Scope: Equatable, Sendable {
  /// Each visitor has a ViewModel of their own.
  case session
  /// All who open the same room share one ViewModel; `defaultName` is the room of a page that names none.
  case room(default: String)

  /// Shared by all who open the same room; a page that names none is in `lobby`.
  public static var room: Scope { .room(default: "lobby") }
}
