// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// Uploads in a folder that nobody but the server's user may open: `ID.json` and `ID.part` for each.
struct UploadFolder: UploadFiles {
  private let folder: String

  /// Uses a folder, and makes it if it is missing.
  ///
  /// - Throws: `UploadFailure` if it cannot be made or written.
  init(_ folder: String) throws(UploadFailure) {
    self.folder = folder
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
      throw UploadFailure("cannot be kept in \(folder)", errno)
    }
    guard access(folder, W_OK | X_OK) == 0 else { throw UploadFailure("cannot be kept in \(folder)", errno) }
  }

  private func recordPath(_ id: String) -> String { "\(folder)/\(id).json" }

  func path(of id: String) -> String { "\(folder)/\(id).part" }

  func all() throws(UploadFailure) -> [String] {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
      throw UploadFailure("cannot be looked for in \(folder): \(error.localizedDescription)")
    }
    let ids = names.compactMap { name -> String? in
      guard let end = name.firstIndex(of: "."),
        [".json", ".part", ".json.new"].contains(String(name[end...]))
      else { return nil }
      return String(name[..<end])
    }
    return Set(ids).sorted()
  }

  func record(of id: String) throws(UploadFailure) -> UploadRecord? {
    guard status(recordPath(id)) != nil else {
      guard errno == ENOENT else { throw UploadFailure("cannot be looked for in \(folder)", errno) }
      return nil
    }
    do {
      let data = try Data(contentsOf: URL(fileURLWithPath: recordPath(id)))
      return try JSONDecoder().decode(UploadRecord.self, from: data)
    } catch { throw UploadFailure("cannot be known: \(recordPath(id)): \(error.localizedDescription)") }
  }

  func keep(_ record: UploadRecord, of id: String) throws(UploadFailure) {
    let path = recordPath(id)
    do {
      let bytes = Array(try JSONEncoder().encode(record))
      unlink(path + ".new")
      try write(bytes, to: path + ".new", O_CREAT | O_EXCL, at: 0, thenSync: true)
    } catch let failure as UploadFailure {
      unlink(path + ".new")
      throw failure
    } catch {
      throw UploadFailure("cannot be described: \(error)")
    }
    guard rename(path + ".new", path) == 0 else { throw UploadFailure("cannot be described", errno) }
  }

  func begin(_ id: String) throws(UploadFailure) { try write([], to: path(of: id), O_CREAT | O_EXCL, at: 0) }

  func size(of id: String) -> Int? { status(path(of: id)).map { Int($0.st_size) } }

  func changed(_ id: String) -> Double? {
    guard let time = (status(path(of: id)) ?? status(recordPath(id)))?.st_mtim else { return nil }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  func append(_ bytes: [UInt8], to id: String, at offset: Int) throws(UploadFailure) {
    try write(bytes, to: path(of: id), 0, at: offset)
  }

  func bytes(of id: String, at offset: Int, _ most: Int) throws(UploadFailure) -> [UInt8] {
    let descriptor = open(path(of: id), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw UploadFailure("cannot be read", errno) }
    defer { close(descriptor) }
    var problem: Int32?
    let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
      let taken = pread(descriptor, buffer.baseAddress, most, off_t(offset))
      if taken < 0 { problem = errno }
      count = max(0, taken)
    }
    if let problem { throw UploadFailure("cannot be read", problem) }
    return bytes
  }

  func sync(_ id: String) throws(UploadFailure) { try write([], to: path(of: id), 0, at: 0, thenSync: true) }

  // A file that cannot be touched is one that was taken.
  func touch(_ id: String) { utimensat(AT_FDCWD, path(of: id), nil, 0) }

  func remove(_ id: String) throws(UploadFailure) {
    // Bytes without a record are remains, a record without bytes is a file that was taken.
    try delete(recordPath(id))
    try delete(recordPath(id) + ".new")
    try removeBytes(id)
  }

  func removeBytes(_ id: String) throws(UploadFailure) { try delete(path(of: id)) }

  private func delete(_ path: String) throws(UploadFailure) {
    guard unlink(path) != 0, errno != ENOENT else { return }
    throw UploadFailure("cannot be deleted", errno)
  }

  private func status(_ path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }

  private func write(
    _ bytes: [UInt8], to path: String, _ flags: Int32, at offset: Int, thenSync: Bool = false
  ) throws(UploadFailure) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, 0o600)
    guard descriptor >= 0 else { throw UploadFailure("cannot be written", errno) }
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(
          descriptor, $0.baseAddress.map { $0 + written }, bytes.count - written, off_t(offset + written))
      }
      guard count > 0 else {
        guard count < 0, errno == EINTR else { throw UploadFailure("cannot be written", errno) }
        continue
      }
      written += count
    }
    guard !thenSync || fsync(descriptor) == 0 else { throw UploadFailure("cannot be written", errno) }
  }
}
