// SPDX-License-Identifier: Apache-2.0

/// Who may do something.
///
/// ```swift
/// Permission.role("host")
/// Permission.roles("editor", "author")
/// Permission.signedIn
/// ```
public struct Permission: Equatable, Sendable {
  /// One of these is enough.
  private var roles: Set<Role>
  /// Whether an id is enough.
  private var takesAnyID: Bool

  /// Whoever has a role.
  ///
  /// - Parameter role: The role.
  /// - Returns: The permission.
  public static func role(_ role: Role) -> Permission { Permission(roles: [role], takesAnyID: false) }

  /// Whoever has one of several roles.
  ///
  /// - Parameter roles: The roles.
  /// - Returns: The permission.
  public static func roles(_ roles: Role...) -> Permission {
    Permission(roles: Set(roles), takesAnyID: false)
  }

  /// Whoever has an id.
  public static var signedIn: Permission { Permission(roles: [], takesAnyID: true) }

  /// Whoever has one of both permissions.
  func union(_ other: Permission) -> Permission {
    Permission(roles: roles.union(other.roles), takesAnyID: takesAnyID || other.takesAnyID)
  }

  /// Whether a visitor has it, by roles that it has everywhere or here.
  package func isGranted(to visitor: Visitor, _ rolesHere: () -> Set<Role> = { [] }) -> Bool {
    takesAnyID && visitor.id != nil || !roles.isDisjoint(with: visitor.roles)
      || !roles.isEmpty && !roles.isDisjoint(with: rolesHere())
  }
}
