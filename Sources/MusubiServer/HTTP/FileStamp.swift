// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A file's identity, size and time of change: another one as soon as the file is another, or was written.
package struct FileStamp: Equatable, Sendable {
  private let inode: UInt
  private let bytes: Int
  private let seconds: Int
  private let nanoseconds: Int

  /// The stamp of a file as it is now; nil if there is none, or it is no regular file.
  ///
  /// - Parameter path: The file; a link is followed.
  package init?(ofFile path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    inode = UInt(status.st_ino)
    bytes = Int(status.st_size)
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
  }
}
