// SPDX-License-Identifier: Apache-2.0

extension ImmediateSchedulerType {
  /// Whether the scheduler's work may run on another thread than the caller; true of a scheduler that is not known here.
  var leavesThread: Bool {
    switch self {
    case is CurrentThreadScheduler: return false
    case is SerialDispatchQueueScheduler, is ConcurrentDispatchQueueScheduler: return true
    case is MainScheduler:
      let context = ThreadContext.current
      return context.loop == nil && !context.isMainThread
    default: return !(self is any LoopScheduler || self is any VirtualScheduler)
    }
  }

  /// Whether pieces of the scheduler's work may run at the same time; true of a scheduler that is not known here.
  var isConcurrent: Bool {
    !(self is SerialDispatchQueueScheduler || self is MainScheduler) && leavesThread
  }
}

/// A scheduler whose work runs where its time is moved.
protocol VirtualScheduler {}

extension VirtualTimeScheduler: VirtualScheduler {}
