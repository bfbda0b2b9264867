// SPDX-License-Identifier: Apache-2.0

/// The program's work when a response was sent, or cannot be any more.
///
/// It begins when nobody holds this any more, so that no way a response can end forgets it.
package final class HTTPAfterwards: Sendable {
  private let works: [@Sendable () async -> Void]
  private let timeLimit: Duration
  private let place: RequestPlace?

  /// Something to be done.
  ///
  /// - Parameters:
  ///   - works: What is done, one after another.
  ///   - timeLimit: When its task is cancelled.
  ///   - place: Counts the request until all is done.
  package init(_ works: [@Sendable () async -> Void], _ timeLimit: Duration, _ place: RequestPlace?) {
    self.works = works
    self.timeLimit = timeLimit
    self.place = place
  }

  deinit {
    Task.detached { [works, timeLimit, place] in
      await withTaskGroup(of: Void.self) { group in
        group.addTask { for work in works { await work() } }
        group.addTask { try? await Task.sleep(for: timeLimit) }
        await group.next()
        group.cancelAll()
      }
      withExtendedLifetime(place) {}
    }
  }
}
