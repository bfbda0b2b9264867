// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What an application may put in place of the library's own answers; set it before the loops start.
public enum Hooks {
  /// Takes an error that no subscription handles, with the call stack if it was recorded.
  public typealias DefaultErrorHandler = (_ subscriptionCallStack: [String], _ error: any Swift.Error) -> Void
  /// Captures a call stack.
  public typealias CustomCaptureSubscriptionCallstack = () -> [String]

  private struct Values {
    var report: DefaultErrorHandler = { stack, error in
      #if DEBUG
        print("Unhandled error: \(error). Add `onError:` to the subscription, or catch it in the chain.")
        for line in stack { print(line) }
      #endif
    }
    var recordsCallStack = false
    var callStack: CustomCaptureSubscriptionCallstack = { Thread.callStackSymbols }
  }

  private static let lock = Lock()
  // Every access holds `lock`.
  nonisolated(unsafe) private static var values = Values()

  /// Called with each unhandled error; prints it in debug builds.
  public static var defaultErrorHandler: DefaultErrorHandler {
    get { lock.with { values.report } }
    set { lock.with { values.report = newValue } }
  }

  /// Whether the handler gets the call stack; false at first.
  public static var recordCallStackOnError: Bool {
    get { lock.with { values.recordsCallStack } }
    set { lock.with { values.recordsCallStack = newValue } }
  }

  /// Captures the call stack for the handler.
  public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
    get { lock.with { values.callStack } }
    set { lock.with { values.callStack = newValue } }
  }
}
