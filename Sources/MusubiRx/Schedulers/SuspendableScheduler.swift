// SPDX-License-Identifier: Apache-2.0

/// The scheduler of a loop's work that nobody may be looking at.
package protocol SuspendableScheduler: SchedulerType {
  /// Has a part told when nobody looks any more, and when somebody does again; at once if nobody does.
  func attach(_ part: any Suspendable)
  /// A part is not told any more.
  func detach(_ part: any Suspendable)
}

/// What rests while nobody looks.
package protocol Suspendable: AnyObject {
  /// Nobody looks any more.
  func suspend()
  /// Somebody looks again.
  func resume()
}
