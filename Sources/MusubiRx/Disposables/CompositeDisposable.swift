// SPDX-License-Identifier: Apache-2.0

/// Several disposables that are disposed together; it disposes a later one at once.
public final class CompositeDisposable: DisposeBase, Cancelable {
  /// Names one of the disposables, so that it can be removed.
  public struct DisposeKey: Sendable {
    fileprivate let number: UInt64
  }

  private var entries: [(number: UInt64, disposable: any Disposable)] = []
  private var nextNumber: UInt64 = 0

  /// Whether the group was disposed.
  public private(set) var isDisposed = false

  /// Creates an empty group.
  public override init() {}

  /// Creates a group of some disposables.
  public convenience init(_ disposables: any Disposable...) { self.init(disposables: disposables) }

  /// Creates a group.
  public init(disposables: [any Disposable]) {
    super.init()
    for disposable in disposables { _ = insert(disposable) }
  }

  /// How many disposables the group holds.
  public var count: Int { entries.count }

  /// Adds a disposable, or disposes it if the group was disposed.
  public func insert(_ disposable: any Disposable) -> DisposeKey? {
    guard !isDisposed else {
      disposable.dispose()
      return nil
    }
    nextNumber += 1
    entries.append((nextNumber, disposable))
    return DisposeKey(number: nextNumber)
  }

  /// Disposes a disposable and takes it out.
  public func remove(for disposeKey: DisposeKey) {
    guard let index = entries.firstIndex(where: { $0.number == disposeKey.number }) else { return }
    entries.remove(at: index).disposable.dispose()
  }

  /// Disposes all, in the order in which they were added.
  public func dispose() {
    guard !isDisposed else { return }
    isDisposed = true
    let all = entries
    entries = []
    for entry in all { entry.disposable.dispose() }
  }
}
