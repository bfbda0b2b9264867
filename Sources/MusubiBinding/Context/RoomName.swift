// SPDX-License-Identifier: Apache-2.0

/// Names of private rooms.
///
/// Whoever knows a room's name may enter, unless `Application.allowsRoom` says otherwise. So a room that is not for all has
/// a name that nobody can guess:
///
/// ```swift
/// application.get("/quiz/new") { _ in try .redirect(to: "/quiz?room=\(RoomName.unguessable())") }
/// ```
public enum RoomName {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

  /// A name that nobody can guess: 132 bits from the system's generator for secrets.
  ///
  /// - Returns: 22 letters, digits, `-` and `_`, which an address takes as they are.
  public static func unguessable() -> String {
    var generator = SystemRandomNumberGenerator()
    return String((0..<22).map { _ in alphabet[Int.random(in: 0..<64, using: &generator)] })
  }
}
