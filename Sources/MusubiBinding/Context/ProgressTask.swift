// SPDX-License-Identifier: Apache-2.0
public import MusubiRx
public import Observation
import Synchronization

/// A task of a screen that tells how far it is, and that a visitor may cancel.
///
/// ```swift
/// private lazy var work = ProgressTask(context)
///
/// func export() {
///   work.start { progress in
///     for (index, chapter) in self.chapters.enumerated() {
///       try await printer.add(chapter)
///       progress.report(Double(index + 1) / Double(self.chapters.count), message: chapter.title)
///     }
///   }
/// }
/// ```
///
/// With streams it is shown by `asDriver()`, by an outlet through `ProgressView`, and by an `@Observable` class through
/// `.output("work", \.work.progress)`. Used where its screen lives.
public final class ProgressTask: Observation.Observable {
  private let context: ScreenContext
  private let relay: BehaviorRelay<TaskProgress>
  private let registrar = ObservationRegistrar()
  /// The number of the run that is shown.
  private var run = 0
  private var task = SingleAssignmentDisposable()

  /// A task that has not begun.
  ///
  /// - Parameters:
  ///   - context: The context of the screen that it belongs to.
  ///   - stored: What is shown until it is started, of a restored screen. What was under way is not under way any more:
  ///     look at `stored.isRunning`, and start it again.
  public init(_ context: ScreenContext, restoring stored: TaskProgress? = nil) {
    self.context = context
    let stored = stored ?? TaskProgress()
    relay = BehaviorRelay(value: stored.isRunning ? TaskProgress(.idle, fraction: stored.fraction) : stored)
  }

  /// How far it is now.
  public var progress: TaskProgress {
    registrar.access(self, keyPath: \.progress)
    return relay.value
  }

  /// How far it is, now and from now on.
  ///
  /// - Returns: The progress for an output.
  public func asDriver() -> Driver<TaskProgress> { relay.asDriver() }

  /// Begins the work, unless it is under way; `ScreenContext.task` tells how it runs.
  ///
  /// It shows as running, without a fraction until one is reported, and then as done, cancelled or failed.
  ///
  /// - Parameter work: The work. It gets what it reports its progress to; an error that it throws is shown, and told in
  ///   the log.
  public func start(_ work: @escaping @concurrent (Reporter) async throws -> Void) {
    guard !relay.value.isRunning, let tasks = context.tasks, let home = tasks.home else { return }
    run += 1
    let (run, task) = (run, SingleAssignmentDisposable())
    self.task = task
    show(TaskProgress(.running, fraction: nil))
    let reporter = Reporter(self, run, home)
    let begun = tasks.begin {
      do {
        try await work(reporter)
        self.update(run, TaskProgress(.done, fraction: 1))
      } catch {
        self.end(run, error, tasks)
      }
    }
    if let begun { return task.setDisposable(begun) }
    update(run, TaskProgress(.failed, message: "Too much is under way."))
  }

  /// Cancels the work, if it is under way.
  ///
  /// It shows as cancelled at once, and may be started again.
  public func cancel() {
    update(run, TaskProgress(.cancelled, fraction: relay.value.fraction ?? 0, message: relay.value.message))
    task.dispose()
  }

  /// Shows what becomes of a run, unless it has ended.
  fileprivate func update(_ run: Int, _ progress: TaskProgress) {
    if run == self.run, relay.value.isRunning, progress != relay.value { show(progress) }
  }

  private func end(_ run: Int, _ error: any Error, _ tasks: ScreenTasks) {
    guard run == self.run, relay.value.isRunning else { return }
    if error is CancellationError { return cancel() }
    tasks.reportFailure(error)
    update(run, TaskProgress(.failed, fraction: relay.value.fraction ?? 0, message: "\(error)"))
  }

  private func show(_ progress: TaskProgress) {
    registrar.withMutation(of: self, keyPath: \.progress) { relay.accept(progress) }
  }
}

extension ProgressTask {
  /// What work reports its progress to, from any thread.
  ///
  /// Reports may come as fast as they like: pages see the newest, once for each iteration of the screen's loop.
  ///
  /// ```swift
  /// work.start { progress in
  ///   try await archive.unpack { done, total in progress.report(Double(done) / Double(total)) }
  /// }
  /// ```
  public final class Reporter: Sendable {
    private let task: Carried<WeakTask>
    private let run: Int
    private let home: ModelHome
    private let cause = LoopContext.cause
    /// The newest report from elsewhere, which is on its way to the loop.
    private let waiting = Mutex<TaskProgress?>(nil)

    fileprivate struct WeakTask {
      weak var task: ProgressTask?
    }

    fileprivate init(_ task: ProgressTask, _ run: Int, _ home: ModelHome) {
      self.task = Carried(WeakTask(task: task))
      self.run = run
      self.home = home
    }

    /// Tells how far the work is; what comes after its end is nobody's business.
    ///
    /// - Parameters:
    ///   - fraction: From 0 to 1; nil if nobody knows, for a bar that only moves.
    ///   - message: What the page says beside it.
    public func report(_ fraction: Double?, message: String = "") {
      let progress = TaskProgress(.running, fraction: fraction, message: message)
      let isHere = home.isOnLoop
      let isFirst = waiting.withLock { waiting in
        defer { waiting = isHere ? nil : progress }
        return waiting == nil
      }
      if isHere { return show(progress) }
      if isFirst {
        home.post {
          LoopContext.carry(self.cause)
          if let newest = self.waiting.withLock({ $0.take() }) { self.show(newest) }
        }
      }
    }

    private func show(_ progress: TaskProgress) { task.element.task?.update(run, progress) }
  }
}
