// SPDX-License-Identifier: Apache-2.0

extension Disposable {
  /// Leaves the disposal to a bag.
  ///
  /// - Parameter bag: Disposes this when the bag goes.
  public func disposed(by bag: DisposeBag) { bag.insert(self) }
}

/// Disposes what it holds when it goes away: the usual owner of a screen's subscriptions.
///
///     private let disposeBag = DisposeBag()
///     model.number.bind(to: label.rx.text).disposed(by: disposeBag)
///
/// A new bag in the same variable ends everything that the old one held.
public final class DisposeBag: DisposeBase {
  private var disposables: ContiguousArray<any Disposable> = []
  private var isDisposed = false

  /// Creates an empty bag.
  public override init() {}

  /// Creates a bag that holds some disposables.
  ///
  /// - Parameter disposables: What the bag starts with.
  public convenience init(disposing disposables: any Disposable...) {
    self.init()
    self.disposables.append(contentsOf: disposables)
  }

  /// Creates a bag from the disposables that a builder lists.
  ///
  /// - Parameter builder: Lists one disposable a line.
  public convenience init(@DisposableBuilder builder: () -> [any Disposable]) {
    self.init()
    disposables.append(contentsOf: builder())
  }

  /// Creates a bag from a list.
  ///
  /// - Parameter disposables: What the bag starts with.
  public convenience init(disposing disposables: [any Disposable]) {
    self.init()
    self.disposables.append(contentsOf: disposables)
  }

  deinit { dispose() }

  /// Adds a disposable.
  ///
  /// - Parameter disposable: Disposed with the bag.
  public func insert(_ disposable: any Disposable) {
    if isDisposed { disposable.dispose() } else { disposables.append(disposable) }
  }

  /// Adds several disposables.
  ///
  /// - Parameter disposables: Disposed with the bag, in order.
  public func insert(_ disposables: any Disposable...) { insert(disposables) }

  /// Adds the disposables that a builder lists.
  ///
  /// - Parameter builder: Lists one disposable a line.
  public func insert(@DisposableBuilder builder: () -> [any Disposable]) { insert(builder()) }

  /// Adds several disposables.
  ///
  /// - Parameter disposables: Disposed with the bag, in order.
  public func insert(_ disposables: [any Disposable]) {
    for disposable in disposables { insert(disposable) }
  }

  private func dispose() {
    isDisposed = true
    let all = disposables
    disposables = []
    for disposable in all { disposable.dispose() }
  }

  /// Lists disposables, one a line.
  @resultBuilder public struct DisposableBuilder {
    /// Collects the lines of a block.
    ///
    /// - Parameter disposables: The values of the lines.
    /// - Returns: The list.
    public static func buildBlock(_ disposables: any Disposable...) -> [any Disposable] { disposables }
  }
}
