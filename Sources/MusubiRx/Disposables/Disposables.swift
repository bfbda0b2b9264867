// SPDX-License-Identifier: Apache-2.0

/// The factory of disposables.
public struct Disposables {
  private init() {}

  /// A disposable that does nothing.
  public static func create() -> any Disposable { NopDisposable.instance }

  /// A disposable that calls a closure once.
  public static func create(with dispose: @escaping () -> Void) -> any Cancelable {
    AnonymousDisposable(dispose)
  }

  /// A disposable that disposes several others, in order.
  public static func create(_ disposables: any Disposable...) -> any Cancelable {
    CompositeDisposable(disposables: disposables)
  }

  /// A disposable that disposes several others, in order.
  public static func create(_ disposables: [any Disposable]) -> any Cancelable {
    CompositeDisposable(disposables: disposables)
  }
}

/// Does nothing.
final class NopDisposable: Disposable, Sendable {
  static let instance = NopDisposable()

  func dispose() {}
}

/// Calls a closure once.
final class AnonymousDisposable: DisposeBase, Cancelable {
  private var action: (() -> Void)?

  init(_ action: @escaping () -> Void) { self.action = action }

  var isDisposed: Bool { action == nil }

  func dispose() {
    guard let action else { return }
    self.action = nil
    action()
  }
}
