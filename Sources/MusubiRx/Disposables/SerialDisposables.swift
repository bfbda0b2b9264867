// SPDX-License-Identifier: Apache-2.0

/// A place for one disposable after another; each new one disposes the one before.
public final class SerialDisposable: DisposeBase, Cancelable {
  private var current: (any Disposable)?

  /// Whether the place was disposed; what is put in later is disposed at once.
  public private(set) var isDisposed = false

  /// Creates an empty place.
  public override init() {}

  /// What is in the place now.
  public var disposable: any Disposable {
    get { current ?? Disposables.create() }
    set {
      guard !isDisposed else { return newValue.dispose() }
      let old = current
      current = newValue
      old?.dispose()
    }
  }

  /// Disposes what is in the place, and everything that is put in later.
  public func dispose() {
    guard !isDisposed else { return }
    isDisposed = true
    let old = current
    current = nil
    old?.dispose()
  }
}

/// A place for exactly one disposable, which may come after the place was disposed.
public final class SingleAssignmentDisposable: DisposeBase, Cancelable {
  private var current: (any Disposable)?
  private var isAssigned = false

  /// Whether the place was disposed.
  public private(set) var isDisposed = false

  /// Creates an empty place.
  public override init() {}

  /// Puts the disposable in, or disposes it if the place was disposed.
  public func setDisposable(_ disposable: any Disposable) {
    precondition(
      !isAssigned, "A SingleAssignmentDisposable takes one disposable; use SerialDisposable for several.")
    isAssigned = true
    if isDisposed { disposable.dispose() } else { current = disposable }
  }

  /// Disposes what is in the place, or what will be put in.
  public func dispose() {
    guard !isDisposed else { return }
    isDisposed = true
    let old = current
    current = nil
    old?.dispose()
  }
}

/// Remembers that it was disposed.
public final class BooleanDisposable: Cancelable {
  /// Whether `dispose` was called.
  public private(set) var isDisposed = false

  /// Creates one that was not disposed.
  public init() {}

  /// Creates one in a given state.
  public init(isDisposed: Bool) { self.isDisposed = isDisposed }

  /// Remembers the disposal.
  public func dispose() { isDisposed = true }
}

/// Disposes another disposable when it, and all handles that it gave out, were disposed.
public final class RefCountDisposable: DisposeBase, Cancelable {
  private var underlying: (any Disposable)?
  private var handles = 0
  private var isPrimaryDisposed = false

  /// Creates a counter.
  public init(disposable: any Disposable) { underlying = disposable }

  /// Whether the other disposable was disposed.
  public var isDisposed: Bool { underlying == nil }

  /// Gives out a further handle.
  public func retain() -> any Disposable {
    guard underlying != nil else { return Disposables.create() }
    handles += 1
    return Disposables.create { self.release() }
  }

  /// Gives the primary handle back.
  public func dispose() {
    isPrimaryDisposed = true
    disposeIfUnused()
  }

  private func release() {
    handles -= 1
    disposeIfUnused()
  }

  private func disposeIfUnused() {
    guard isPrimaryDisposed, handles == 0, let old = underlying else { return }
    underlying = nil
    old.dispose()
  }
}

/// Disposes another disposable as a piece of work on a scheduler.
public final class ScheduledDisposable: Cancelable {
  /// Where the disposal happens.
  public let scheduler: any ImmediateSchedulerType
  private var underlying: (any Disposable)?

  /// Creates one.
  public init(scheduler: any ImmediateSchedulerType, disposable: any Disposable) {
    self.scheduler = scheduler
    underlying = disposable
  }

  /// Whether the disposal has happened.
  public var isDisposed: Bool { underlying == nil }

  /// Schedules the disposal.
  public func dispose() {
    _ = scheduler.schedule(self) { scheduled in
      let old = scheduled.underlying
      scheduled.underlying = nil
      old?.dispose()
      return Disposables.create()
    }
  }
}
