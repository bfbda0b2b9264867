// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The size of the disk that holds a folder.
enum DiskSize {
  /// Its bytes, used and free: the same at each start.
  ///
  /// - Parameter folder: A folder that is there.
  /// - Returns: The size; 10 GiB if the system does not tell.
  static func of(_ folder: String) -> Int {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return 10 << 30 }
    return Int(
      clamping: UInt64(status.f_blocks).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
  }
}
