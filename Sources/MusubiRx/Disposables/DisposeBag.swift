// SPDX-License-Identifier: Apache-2.0

extension Disposable {
  /// Leaves the disposal to a bag.
  public func disposed(by bag: DisposeBag) { bag.insert(self) }
}

/// Disposes what it holds when it goes away: the usual owner of a screen's subscriptions.
///
///     private let disposeBag = DisposeBag()
///     model.number.bind(to: label.rx.text).disposed(by: disposeBag)
///
/// A new bag in the same variable ends everything that the old one held.
public final class DisposeBag: DisposeBase {
  // Tens of thousands of screens have a bag each, mostly with two or three subscriptions: these take no array.
  private var first: Node?
  private var second: Node?
  private var third: Node?
  /// What came after them; nil if nothing did.
  private var rest: Rest?
  private var isDisposed = false

  private final class Rest {
    /// The first of them, as long as they are subscriptions: these take a fifth of the memory of any disposable.
    var nodes: ContiguousArray<Node> = []
    /// What came after those.
    var others: ContiguousArray<any Disposable> = []
  }

  /// Creates an empty bag.
  public override init() {}

  /// Creates a bag that holds some disposables.
  public convenience init(disposing disposables: any Disposable...) {
    self.init()
    insert(disposables)
  }

  /// Creates a bag from the disposables that a builder lists.
  public convenience init(@DisposableBuilder builder: () -> [any Disposable]) {
    self.init()
    insert(builder())
  }

  /// Creates a bag from a list.
  public convenience init(disposing disposables: [any Disposable]) {
    self.init()
    insert(disposables)
  }

  deinit { dispose() }

  /// Adds a disposable.
  public func insert(_ disposable: any Disposable) {
    guard !isDisposed else { return disposable.dispose() }
    let node = disposable as? Node
    if let node, rest == nil, third == nil {
      if first == nil { first = node } else if second == nil { second = node } else { third = node }
      return
    }
    let rest = rest ?? Rest()
    self.rest = rest
    if let node, rest.others.isEmpty { rest.nodes.append(node) } else { rest.others.append(disposable) }
  }

  /// Adds several disposables.
  public func insert(_ disposables: any Disposable...) { insert(disposables) }

  /// Adds the disposables that a builder lists.
  public func insert(@DisposableBuilder builder: () -> [any Disposable]) { insert(builder()) }

  /// Adds several disposables.
  public func insert(_ disposables: [any Disposable]) {
    for disposable in disposables { insert(disposable) }
  }

  private func dispose() {
    isDisposed = true
    let (nodes, rest) = ((first, second, third), rest)
    (first, second, third) = (nil, nil, nil)
    self.rest = nil
    nodes.0?.dispose()
    nodes.1?.dispose()
    nodes.2?.dispose()
    guard let rest else { return }
    for node in rest.nodes { node.dispose() }
    for disposable in rest.others { disposable.dispose() }
  }

  /// Lists disposables, one a line.
  @resultBuilder public struct DisposableBuilder {
    /// Collects the lines of a block.
    public static func buildBlock(_ disposables: any Disposable...) -> [any Disposable] { disposables }
  }
}
