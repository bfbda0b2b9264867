// SPDX-License-Identifier: Apache-2.0

/// How large a file may be.
///
/// ```swift
/// .limit(\.photo, to: .megabytes(20))
/// ```
public struct FileSize: Sendable, Hashable, Comparable {
  /// The number of bytes.
  public let bytes: Int

  private init(_ count: Int, times unit: Int) {
    precondition(count > 0, "A file that may be sent has at least one byte.")
    bytes = count.multipliedReportingOverflow(by: unit).overflow ? .max : count * unit
  }

  /// So many bytes.
  ///
  /// - Parameter count: At least 1.
  /// - Returns: The size.
  public static func bytes(_ count: Int) -> Self { Self(count, times: 1) }

  /// So many times 1,024 bytes.
  ///
  /// - Parameter count: At least 1.
  /// - Returns: The size.
  public static func kilobytes(_ count: Int) -> Self { Self(count, times: 1 << 10) }

  /// So many times 1,048,576 bytes.
  ///
  /// - Parameter count: At least 1.
  /// - Returns: The size.
  public static func megabytes(_ count: Int) -> Self { Self(count, times: 1 << 20) }

  /// So many times 1,073,741,824 bytes.
  ///
  /// - Parameter count: At least 1.
  /// - Returns: The size.
  public static func gigabytes(_ count: Int) -> Self { Self(count, times: 1 << 30) }

  /// Whether a size is less than another one.
  ///
  /// - Parameters:
  ///   - left: The one.
  ///   - right: The other.
  /// - Returns: The answer.
  public static func < (left: Self, right: Self) -> Bool { left.bytes < right.bytes }
}
