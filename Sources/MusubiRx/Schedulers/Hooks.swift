// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The application's answers in place of the library's own; set it before the loops start.
public enum Hooks {
  /// Takes an error that no subscription handles, with the call stack if it was recorded.
  public typealias DefaultErrorHandler = (_ subscriptionCallStack: [String], _ error: any Swift.Error) -> Void
  /// Captures a call stack.
  public typealias CustomCaptureSubscriptionCallstack = () -> [String]

  private final class Values {
    private let lock = Lock()
    var report: DefaultErrorHandler = { stack, error in
      #if DEBUG
        print("Unhandled error: \(error). Add `onError:` to the subscription, or catch it in the chain.")
        for line in stack { print(line) }
      #endif
    }
    var recordsCallStack = false
    var callStack: CustomCaptureSubscriptionCallstack = { Thread.callStackSymbols }

    func with<Result>(_ body: (Values) -> Result) -> Result { lock.with { body(self) } }
  }

  // Every access holds its lock.
  nonisolated(unsafe) private static let values = Values()

  /// Called with each unhandled error; prints it in debug builds.
  public static var defaultErrorHandler: DefaultErrorHandler {
    get { values.with { $0.report } }
    set { values.with { $0.report = newValue } }
  }

  /// Whether the handler gets the call stack; false at first.
  public static var recordCallStackOnError: Bool {
    get { values.with { $0.recordsCallStack } }
    set { values.with { $0.recordsCallStack = newValue } }
  }

  /// Captures the call stack for the handler.
  public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
    get { values.with { $0.callStack } }
    set { values.with { $0.callStack = newValue } }
  }
}
