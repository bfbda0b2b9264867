// SPDX-License-Identifier: Apache-2.0

/// A place for one disposable after another; each new one disposes the one before.
///
/// A loop and a queue may both use it: it locks, but calls nobody while it does.
public final class SerialDisposable: DisposeBase, Cancelable {
  private let lock = Lock()
  private var current: (any Disposable)?
  private var hasEnded = false

  /// Creates an empty place.
  public override init() {}

  /// Whether the place was disposed; it disposes a later disposable at once.
  public var isDisposed: Bool { lock.with { hasEnded } }

  /// The disposable that is in the place now.
  public var disposable: any Disposable {
    get { lock.with { current } ?? Disposables.create() }
    set { replace(by: newValue)?.dispose() }
  }

  /// Puts in the disposable of a piece of work, also if that work runs, and puts its successor in, before the
  /// caller knows it.
  ///
  /// - Parameter start: Starts the work and returns its handle.
  func hold(_ start: () -> any Disposable) {
    let place = SingleAssignmentDisposable()
    disposable = place
    place.setDisposable(start())
  }

  /// Disposes the place's disposable, and every later one.
  public func dispose() {
    let old = lock.with {
      hasEnded = true
      return current.take()
    }
    old?.dispose()
  }

  /// The disposable that has to be disposed instead.
  private func replace(by new: any Disposable) -> (any Disposable)? {
    lock.with {
      if hasEnded { return new }
      defer { current = new }
      return current
    }
  }
}

/// A place for exactly one disposable, which may come after the place was disposed.
public final class SingleAssignmentDisposable: DisposeBase, Cancelable {
  private let place = SerialDisposable()
  private var isAssigned = false

  /// Creates an empty place.
  public override init() {}

  /// Whether the place was disposed.
  public var isDisposed: Bool { place.isDisposed }

  /// Puts the disposable in, or disposes it if the place was disposed.
  public func setDisposable(_ disposable: any Disposable) {
    precondition(
      !isAssigned, "A SingleAssignmentDisposable takes one disposable; use SerialDisposable for several.")
    isAssigned = true
    place.disposable = disposable
  }

  /// Disposes the place's disposable, or the one that comes later.
  public func dispose() { place.dispose() }
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
