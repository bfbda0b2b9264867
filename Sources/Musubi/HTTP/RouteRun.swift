// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A route that answers a request, and what others do when its response was sent.
///
/// `Response.afterwards(_:)` is for the route's author. This is for what the route calls, and what does not know of the response.
package final class RouteRun: Sendable {
  package typealias Work = @Sendable () async -> Void

  @TaskLocal private static var current: RouteRun?
  /// Nil when the route has answered.
  private let works = Mutex<[Work]?>([])

  /// Does something when the route that runs has answered, or has failed, and its response was sent; outside of routes at once.
  ///
  /// - Parameter work: What is done.
  package static func afterwards(_ work: @escaping Work) async {
    let waits = current?.works.withLock { $0?.append(work) } != nil
    if !waits { await work() }
  }

  /// The response of a route, or its error, and what is done when that was sent.
  static func result<Answer: Sendable>(
    of answer: () async throws -> Answer
  ) async -> (Result<Answer, any Error>, [Work]) {
    let run = RouteRun()
    let result: Result<Answer, any Error>
    do {
      result = .success(try await $current.withValue(run, operation: answer))
    } catch {
      result = .failure(error)
    }
    return (result, run.works.withLock { $0.take() } ?? [])
  }
}
