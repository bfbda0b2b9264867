// SPDX-License-Identifier: Apache-2.0

/// Looks each second whether the files of the certificate have changed, and once a day for another ticket key.
struct CertificateWatcher: Sendable {
  let files: CertificateFiles
  /// Called when the files have changed, also if they are no pair yet.
  let onChange: @Sendable () -> Void
  /// Called once a day.
  let onDay: @Sendable () -> Void
  /// Waits a second; false if the task was cancelled.
  var pause: @Sendable () async -> Bool = Self.second

  private static let secondsOfADay = 86_400

  /// Looks until the task is cancelled.
  func run() async {
    var seen = files.stamps
    var seconds = 0
    while await pause() {
      seconds += 1
      if seconds.isMultiple(of: Self.secondsOfADay) { onDay() }
      let now = files.stamps
      guard now != seen else { continue }
      seen = now
      onChange()
    }
  }

  @Sendable private static func second() async -> Bool {
    do {
      try await Task.sleep(for: .seconds(1))
      return true
    } catch {
      return false
    }
  }
}
