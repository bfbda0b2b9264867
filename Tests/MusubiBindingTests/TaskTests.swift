// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import Observation
import Synchronization
import Testing

/// Answers when a test says so, and ends when its task is cancelled.
private final class Library: Sendable {
  private let waiting = Mutex<[CheckedContinuation<[String], any Error>]>([])

  var count: Int { waiting.withLock(\.count) }

  func titles() async throws -> [String] {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in waiting.withLock { $0.append(continuation) }
      }
    } onCancel: {
      answer(.failure(CancellationError()))
    }
  }

  func answer(_ result: Result<[String], any Error>) {
    let all = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for continuation in all { continuation.resume(with: result) }
  }
}

/// Reads on another thread.
private func readPages(_ count: Int, _ tell: @escaping @Sendable (Int) -> Void) async {
  await Task.detached { for page in 1...count { tell(page) } }.value
}

private struct FireError: Error, CustomStringConvertible {
  let description = "the library burns"
}

// MARK: - The four ways

/// Inputs and outputs.
private final class ShelfViewModel: InputOutputViewModel {
  struct Inputs: Decodable {
    var look: Signal<Void> = .never()
    var cancel: Signal<Void> = .never()
    var read: Signal<Int> = .never()
  }

  struct Outputs: Encodable {
    let titles: Driver<[String]>
    let work: Driver<TaskProgress>
  }

  private let library: Library
  private let titles = BehaviorRelay<[String]>(value: [])
  private let work: ProgressTask
  private let bag = DisposeBag()

  init(_ context: ScreenContext, _ library: Library) {
    self.library = library
    work = ProgressTask(context)
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.look.emit(onNext: { [unowned self] in look() }).disposed(by: bag)
    inputs.cancel.emit(onNext: { [unowned self] in work.cancel() }).disposed(by: bag)
    inputs.read.emit(onNext: { [unowned self] in read($0) }).disposed(by: bag)
    return Outputs(titles: titles.asDriver(), work: work.asDriver())
  }

  private func look() {
    work.start { progress in
      progress.report(nil, message: "looking")
      self.titles.accept(try await self.library.titles())
    }
  }

  private func read(_ count: Int) {
    work.start { progress in
      for page in 1...count { progress.report(Double(page) / Double(count), message: "page \(page)") }
      _ = try await self.library.titles()
    }
  }
}

/// Outlets.
private final class ShelfView: View {
  private let look = Button("look")
  private let bar = ProgressView("work")
  private let title = Label("title")
  private let work: ProgressTask
  private let library: Library
  private let bag = DisposeBag()

  init(_ context: ScreenContext, _ library: Library) {
    work = ProgressTask(context)
    self.library = library
  }

  override func viewDidLoad() {
    look.onTap = { [unowned self] in
      work.start { _ in self.title.text = try await self.library.titles().first }
    }
    work.asDriver().drive(bar.rx.progress).disposed(by: bag)
  }
}

/// An observable class that knows tasks.
@Observable private final class Shelf {
  private(set) var titles: [String] = []
  let work: ProgressTask
  private let library: Library

  init(_ context: ScreenContext, _ library: Library) {
    work = ProgressTask(context)
    self.library = library
  }

  func look() { work.start { _ in self.titles = try await self.library.titles() } }
}

extension Shelf: ObservableViewModel {
  static var bindings: [PageBinding<Shelf>] {
    [
      .output("titles", \.titles), .output("work", \.work.progress), .action("look") { $0.look() },
      .action("cancel") { $0.work.cancel() },
    ]
  }
}

/// An observable class that imports nothing of Musubi, and takes the function that begins tasks.
@Observable private final class PlainShelf {
  private(set) var titles: [String] = []
  private let begin: (@escaping () async -> Void) -> Void
  private let library: Library

  init(begin: @escaping (@escaping () async -> Void) -> Void, _ library: Library) {
    self.begin = begin
    self.library = library
  }

  func look() { begin { await self.load() } }

  private func load() async { titles = (try? await library.titles()) ?? [] }
}

extension PlainShelf: ObservableViewModel {
  static var bindings: [PageBinding<PlainShelf>] {
    [.output("titles", \.titles), .action("look") { $0.look() }]
  }
}

/// Two parts, which have the tasks of their screen.
private final class PairViewModel: InputOutputViewModel {
  struct Inputs: Decodable {
    var left = ShelfViewModel.Inputs()
    var right = ShelfViewModel.Inputs()
  }

  struct Outputs: Encodable {
    let left: ShelfViewModel.Outputs
    let right: ShelfViewModel.Outputs
  }

  private let left, right: ShelfViewModel

  init(_ context: ScreenContext, _ library: Library) {
    left = ShelfViewModel(context, library)
    right = ShelfViewModel(context, library)
  }

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(left: left.bind(inputs.left), right: right.bind(inputs.right))
  }
}

@Suite(.timeLimit(.minutes(5))) struct `Work of a screen` {
  private let library = Library()

  private func shelf() throws -> TestScreen {
    try TestScreen(query: [:]) { context in ShelfViewModel(context, library) }
  }

  @Test func `shows how far it is, and its result`() async throws {
    let screen = try shelf()
    #expect(screen["work.state"] == "idle" && screen["work.isStopped"] == "true")

    try screen.tap("look")
    #expect(screen["work.state"] == "running" && screen["work.isRunning"] == "true")
    #expect(screen["work.fraction"] == "null" && screen["work.message"] == "looking")

    library.answer(.success(["Genji"]))
    await screen.settle()
    #expect(screen["titles"] == #"["Genji"]"#)
    #expect(screen["work.state"] == "done" && screen["work.fraction"] == "1")
  }

  @Test func `is begun once, however often it is asked for`() throws {
    let screen = try shelf()
    try screen.tap("look")
    try screen.tap("look")

    #expect(library.count == 1)
  }

  @Test func `shows as cancelled at once, and what comes later is nobody's business`() async throws {
    let screen = try shelf()
    try screen.tap("cancel")
    #expect(screen["work.state"] == "idle")
    try screen.tap("look")

    try screen.tap("cancel")
    #expect(screen["work.state"] == "cancelled" && screen["work.fraction"] == "0")
    try screen.tap("look")
    await Task.yield()
    #expect(screen["work.state"] == "running" && library.count == 1)
    library.answer(.success([]))
    await screen.settle()
    #expect(screen["work.state"] == "done")
  }

  @Test func `tells why it has failed`() async throws {
    let screen = try shelf()
    try screen.tap("look")

    library.answer(.failure(FireError()))
    await screen.settle()

    #expect(screen["work.state"] == "failed" && screen["work.message"] == "the library burns")
  }

  @Test func `reports often, and the newest counts`() async throws {
    let screen = try shelf()
    try screen.send(1_000, to: "read")

    #expect(screen["work.fraction"] == "1" && screen["work.message"] == "page 1000")
    library.answer(.success([]))
    await screen.settle()
    #expect(screen["work.message"] == "")
  }

  @Test func `belongs to a View as well`() async throws {
    let screen = try TestScreen(query: [:]) { context in ShelfView(context, library) }
    try screen.tap("look")
    #expect(screen["work.state"] == "running")

    library.answer(.success(["Heike"]))
    await screen.settle()
    #expect(screen["title"] == "Heike" && screen["work.state"] == "done")
  }

  @Test func `belongs to an observable class as well`() async throws {
    let screen = try TestScreen(query: [:]) { context in Shelf(context, library) }
    #expect(screen["work.state"] == "idle")
    try screen.tap("look")
    #expect(screen["work.state"] == "running")
    try screen.tap("cancel")
    #expect(screen["work.state"] == "cancelled")

    try screen.tap("look")
    library.answer(.success(["Heike"]))
    await screen.settle()
    #expect(screen["titles"] == #"["Heike"]"# && screen["work.state"] == "done")
  }

  @Test func `belongs to a class that only takes a function`() async throws {
    let screen = try TestScreen(query: [:]) { context in
      PlainShelf(begin: { context.task($0) }, library)
    }
    try screen.tap("look")
    library.answer(.success(["Heike"]))
    await screen.settle()

    #expect(screen["titles"] == #"["Heike"]"#)
  }

  @Test func `belongs to components as well`() async throws {
    let screen = try TestScreen(query: [:]) { context in PairViewModel(context, library) }
    try screen.tap("rightLook")

    #expect(screen["leftWork.state"] == "idle" && screen["rightWork.state"] == "running")
    library.answer(.success([]))
    await screen.settle()
    #expect(screen["rightWork.state"] == "done")
  }

  @Test func `ends with its screen`() async throws {
    var screen: TestScreen? = try shelf()
    try screen?.tap("look")
    #expect(library.count == 1)

    screen = nil

    #expect(screen == nil && library.count == 0)
  }

  @Test func `is cancelled by what it returned`() async throws {
    let cancelled = Mutex(0)
    var task: (any Disposable)?
    let screen = try TestScreen(query: [:]) { context in
      task = context.task {
        do { _ = try await library.titles() } catch { cancelled.withLock { $0 += 1 } }
      }
      return ShelfViewModel(context, library)
    }

    task?.dispose()
    await screen.settle()

    #expect(cancelled.withLock { $0 } == 1)
  }

  @Test func `runs to its end if there is no screen`() async {
    let context = ScreenContext(
      screen: "", clock: TestScheduler(initialClock: 0), random: RandomSource(seed: 1))
    await withCheckedContinuation { continuation in
      context.task {
        await readPages(1) { _ in }
        continuation.resume()
      }
    }
  }
}

@Suite struct `Progress of a task` {
  @Test(arguments: [(-1, 0), (2, 1), (0.12345, 0.123), (.infinity, 1)]) func `is from 0 to 1, in thousandths`(
    fraction: Double, shown: Double
  ) {
    #expect(TaskProgress(.running, fraction: fraction).fraction == shown)
  }

  @Test func `is unknown if it is no number`() {
    #expect(TaskProgress(.running, fraction: .nan).fraction == nil)
  }

  @Test func `is shown by a task that was restored, unless it was under way`() {
    let context = ScreenContext(
      screen: "", clock: TestScheduler(initialClock: 0), random: RandomSource(seed: 1))
    let done = TaskProgress(.done, fraction: 1, message: "all")

    #expect(ProgressTask(context, restoring: done).progress == done)
    let running = TaskProgress(.running, fraction: 0.5, message: "half")
    #expect(ProgressTask(context, restoring: running).progress == TaskProgress(.idle, fraction: 0.5))
    #expect(ProgressTask(context).progress == TaskProgress())
  }
}
