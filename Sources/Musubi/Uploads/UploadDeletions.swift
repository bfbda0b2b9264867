// SPDX-License-Identifier: Apache-2.0

/// Deletes the files of uploads, and knows those that are still there.
struct UploadDeletions {
  let files: any UploadFiles
  /// What could not be deleted; nobody may go on with it.
  private(set) var left: Set<String> = []
  /// Why the last one that failed did so.
  var problem: UploadFailure?

  init(files: any UploadFiles) { self.files = files }

  /// Deletes an upload, now or by `tryAgain`.
  mutating func delete(_ id: String) {
    do throws(UploadFailure) {
      try files.remove(id)
      left.remove(id)
    } catch {
      left.insert(id)
      problem = error
    }
  }

  /// Deletes the bytes of an upload that is over, now or with its record.
  mutating func deleteBytes(_ id: String) {
    do throws(UploadFailure) { try files.removeBytes(id) } catch { problem = error }
  }

  mutating func tryAgain() { for id in left { delete(id) } }
}
