// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// Files and folders that only the user who runs the program may read.
package enum PrivateFile {
  /// One thread at a time makes a file, so that none is opened while another thread closes its descriptor.
  private static let making = Mutex(())

  /// Creates a database's file with mode 0600, or tightens the files that are there.
  ///
  /// It opens no file that is there: SQLite's locks on a file are the process's, and whoever closes any
  /// descriptor of the file drops all of them. Another program would then take itself for the last one that
  /// uses the database, and delete its log.
  /// SQLite gives its log and its shared memory the file's mode.
  ///
  /// - Parameter path: The database's file.
  /// - Throws: `SQLiteError` of kind `cannotOpen` if a file is somebody else's.
  static func prepare(database path: String) throws(SQLiteError) {
    // Why a file cannot be made is SQLite's to tell.
    making.withLock { _ in
      var file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      // A link may be there without its file.
      if file < 0, errno == EEXIST, access(path, F_OK) != 0 {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      }
      if file >= 0 { close(file) }
    }
    for suffix in ["", "-wal", "-shm"] { try tighten(path + suffix, to: 0o600) }
  }

  /// Makes a folder, and those that it is in, with mode 0700; one that is there stays as it is.
  static func make(folder path: String) throws(SQLiteError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let end = path.lastIndex(of: "/"), end > path.startIndex else {
      throw refusal(of: path)
    }
    try make(folder: String(path[..<end]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw refusal(of: path) }
  }

  /// Takes away what others may do.
  ///
  /// - Parameters:
  ///   - path: A file or a folder; nothing happens if there is none.
  ///   - mode: The most that is left.
  /// - Throws: `SQLiteError` of kind `cannotOpen` if it is somebody else's.
  package static func tighten(_ path: String, to mode: UInt32) throws(SQLiteError) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o777 & ~mode != 0 else { return }
    guard chmod(path, status.st_mode & mode) == 0 else { throw refusal(of: path) }
  }

  private static func refusal(of path: String) -> SQLiteError {
    SQLiteError(.cannotOpen, String(cString: strerror(errno)), file: path)
  }
}
