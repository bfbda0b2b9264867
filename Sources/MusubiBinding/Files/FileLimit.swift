// SPDX-License-Identifier: Apache-2.0

/// Which files a control takes.
package struct FileLimit: Equatable, Sendable {
  /// The largest file.
  package let size: FileSize
  /// The types that a file may have by its first bytes: `image/png`, `image/*`.
  package let types: [String]

  /// A limit.
  ///
  /// - Parameters:
  ///   - size: The largest file.
  ///   - types: The types.
  package init(size: FileSize, types: [String]) {
    (self.size, self.types) = (size, types)
  }
}
