// SPDX-License-Identifier: Apache-2.0

/// Looks now and then whether the public folder has changed, for authors.
struct FileWatcher: Sendable {
  /// The files that are shown now.
  var files: StaticFiles
  let logger: Logger
  /// Called with the new files.
  let onChange: @Sendable (StaticFiles) -> Void

  /// Looks until the task is cancelled.
  func run() async {
    var files = files
    var looks = FolderLooks()
    var lastProblem: ServerError?
    while await Self.pause() {
      do throws(ServerError) {
        let changed = try files.reloaded(after: &looks)
        lastProblem = nil
        guard let changed else { continue }
        files = changed
        logger.log(.info, "files changed")
        onChange(changed)
      } catch {
        // Half-saved work: the old files stay until the new ones fit.
        if lastProblem != error { logger.log(.warning, "files not read", ["reason": error.description]) }
        lastProblem = error
      }
    }
  }

  /// Waits a little; false if the task was cancelled.
  private static func pause() async -> Bool {
    do {
      try await Task.sleep(for: .milliseconds(300))
      return true
    } catch {
      return false
    }
  }
}
