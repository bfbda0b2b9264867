// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiRx
import Synchronization
import Testing

/// The whole suite: one case after the other, because each must leave no observable and no subscription behind.
@Suite(.serialized, .leavesNothing) enum ReactiveCore {}

/// Compares `Resources.total` before and after each case.
///
/// The count is that of the whole process. It is compared only if `MUSUBI_LEAK_CHECK` is set, as `deploy/test` does when
/// it runs these tests alone: beside other suites it would count their observables, too.
struct LeakCheck: SuiteTrait, TestTrait, TestScoping {
  /// What earlier cases left, so that each leak is reported once.
  private static let known = Mutex<Int32>(0)
  private static let isAlone = ProcessInfo.processInfo.environment["MUSUBI_LEAK_CHECK"] != nil

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await function()
    guard testCase != nil, Self.isAlone else { return }
    let before = Self.known.withLock { $0 }
    // Other threads may still be at work on what the case began, and a busy machine may have stopped one of them: only
    // what stays for ten seconds is a leak.
    for _ in 0..<2_000 where Resources.total > before { try await Task.sleep(for: .milliseconds(5)) }
    let after = Resources.total
    guard after > before else { return }
    Self.known.withLock { $0 = after }
    Issue.record("\(after - before) observables or subscriptions outlived the case")
  }
}

extension Trait where Self == LeakCheck {
  static var leavesNothing: Self { LeakCheck() }
}
