// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Synchronization
import Testing

@testable import MusubiSession

/// What tasks wait for; a test answers.
private final class Workshop: Sendable {
  private let waiting = Mutex<[CheckedContinuation<Int, any Error>]>([])
  let cancelled = Mutex(0)

  /// How many wait.
  var count: Int { waiting.withLock(\.count) }

  /// Waits for an answer, or until the task is cancelled.
  func ask() async throws -> Int {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in waiting.withLock { $0.append(continuation) }
      }
    } onCancel: {
      cancelled.withLock { $0 += 1 }
      let all = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      for continuation in all { continuation.resume(throwing: CancellationError()) }
    }
  }

  func answer(_ number: Int) { waiting.withLock { $0.removeFirst() }.resume(returning: number) }
}

/// Asks the workshop twice, and shows its answers.
private final class OrderViewModel: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {
    let start: Signal<Void>
    let cancel: Signal<Void>
    let tap: Signal<Void>
    let flood: Signal<Int>
    let hurry: Signal<Void>
  }

  struct Outputs: Encodable {
    let work: Driver<TaskProgress>
    let sum: Driver<Int>
    let taps: Driver<Int>
  }

  struct State: Codable {
    var sum = 0
    var work = TaskProgress()
  }

  private let context: ScreenContext
  private let workshop: Workshop
  private let work: ProgressTask
  private let sum: BehaviorRelay<Int>
  private let taps = BehaviorRelay(value: 0)
  private let bag = DisposeBag()

  var state: State { State(sum: sum.value, work: work.progress) }

  init(_ context: ScreenContext, _ workshop: Workshop) throws {
    self.context = context
    self.workshop = workshop
    let stored: State? = try context.restored()
    sum = BehaviorRelay(value: stored?.sum ?? 0)
    work = ProgressTask(context, restoring: stored?.work)
    if stored?.work.isRunning == true { start() }
  }

  func bind(_ inputs: Inputs) -> Outputs {
    bag.insert(
      inputs.start.emit(onNext: { [unowned self] in start() }),
      inputs.cancel.emit(onNext: { [unowned self] in work.cancel() }),
      inputs.tap.emit(onNext: { [unowned self] in taps.accept(taps.value + 1) }),
      inputs.flood.emit(onNext: { [unowned self] in flood($0) }),
      inputs.hurry.emit(onNext: { [unowned self] in hurry() }))
    return Outputs(work: work.asDriver(), sum: sum.asDriver(), taps: taps.asDriver())
  }

  private func start() {
    work.start { progress in
      progress.report(0.1)
      self.sum.accept(self.sum.value + (try await self.workshop.ask()))
      progress.report(0.5, message: "half")
      self.sum.accept(self.sum.value + (try await self.workshop.ask()))
    }
  }

  /// Begins many tasks.
  private func flood(_ count: Int) {
    for _ in 0..<count { context.task { _ = try? await self.workshop.ask() } }
  }

  /// Reports often.
  private func hurry() {
    work.start { progress in for number in 1...100 { progress.report(Double(number) / 200) } }
  }
}

/// Begins a task when it is made, and may refuse to be made.
private final class EagerViewModel: InputOutputViewModel {
  struct Refusal: Error {}

  struct Inputs: Decodable {}

  struct Outputs: Encodable {
    let begun: Driver<Int>
  }

  private let begun = BehaviorRelay(value: 0)

  init(_ context: ScreenContext, _ workshop: Workshop, refuses: Bool = false) throws {
    context.task { self.begun.accept((try? await workshop.ask()) ?? -1) }
    if refuses { throw Refusal() }
  }

  func bind(_ inputs: Inputs) -> Outputs { Outputs(begun: begun.asDriver()) }
}

@Suite(.timeLimit(.minutes(5))) struct `A task of a screen` {
  /// Where the screen lives.
  enum Place: CaseIterable {
    case own, shared, stored, storedShared

    var isShared: Bool { self == .shared || self == .storedShared }
    var isStored: Bool { self == .stored || self == .storedShared }
  }

  private final class Stage {
    let workshop = Workshop()
    let store: SimulatedStore?
    let network: SimulatedNetwork

    init(_ place: Place = .own) {
      let store = place.isStored ? SimulatedStore() : nil
      self.store = store
      let scope = place.isShared ? Scope.room(default: "lobby") : .session
      network = SimulatedNetwork(
        seed: 11, store: store,
        routes: [
          ScreenRoute(name: "order", scope: scope) { [workshop] context in
            InputOutputScreen(try OrderViewModel(context, workshop), name: "order")
          },
          ScreenRoute(name: "eager", scope: .session) { [workshop] context in
            InputOutputScreen(try EagerViewModel(context, workshop), name: "eager")
          },
        ])
    }

    deinit { network.end() }

    var loop: SessionLoop? { network.services.first as? SessionLoop }
    var room: Room? { loop.flatMap { Array($0.rooms.all).first } }

    func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }

    func open() -> RawPage {
      let page = RawPage(network, "order")
      settle()
      return page
    }

    func send(_ number: Int, _ name: String, on page: RawPage) {
      page.send(#"{"input":\#(number),"name":"\#(name)"}"#)
      settle()
    }

    func answer(_ number: Int) {
      network.schedule(network.now) { [workshop] in workshop.answer(number) }
      settle()
    }

    func lose(_ page: RawPage) {
      page.link?.drop()
      settle(.milliseconds(100))
    }
  }

  @Test(arguments: Place.allCases) func `lets its input be acknowledged at once, and shows how far it is`(
    place: Place
  ) {
    let stage = Stage(place)
    let page = stage.open()

    stage.send(1, "start", on: page)
    stage.send(2, "tap", on: page)
    #expect(page.last("ack") == 2)
    #expect(page.state["taps"] == 1)
    #expect(page.state["work"]?["state"] == "running" && page.state["work"]?["fraction"] == 0.1)

    stage.answer(3)
    #expect(page.state["work"]?["fraction"] == 0.5 && page.state["work"]?["message"] == "half")
    stage.answer(4)
    #expect(page.state["work"]?["state"] == "done" && page.state["work"]?["isStopped"] == true)
    #expect(page.state["sum"] == 7)
  }

  @Test(arguments: Place.allCases) func `goes on without a page, which finds the result when it is back`(
    place: Place
  ) throws {
    let stage = Stage(place)
    let page = stage.open()
    stage.send(1, "start", on: page)
    stage.lose(page)
    let room = try #require(stage.room)
    let sequence = room.sequence
    #expect(room.isSuspended)

    stage.answer(3)
    stage.answer(4)
    #expect(stage.workshop.count == 0 && room.sequence == sequence)
    page.mark()
    page.resume()
    stage.settle()

    #expect(page.new.first?["resumed"]?["turns"] == 1)
    #expect(page.state["sum"] == 7 && page.state["work"]?["state"] == "done")
  }

  @Test func `is cancelled by the page, and can be begun again`() {
    let stage = Stage()
    let page = stage.open()
    stage.send(1, "start", on: page)

    stage.send(2, "cancel", on: page)
    #expect(stage.workshop.cancelled.withLock { $0 } == 1)
    #expect(page.state["work"]?["state"] == "cancelled" && page.last("ack") == 2)
    stage.send(3, "start", on: page)
    #expect(page.state["work"]?["state"] == "running")
  }

  @Test(arguments: Place.allCases) func `is cancelled when its screen ends`(place: Place) {
    let stage = Stage(place)
    let page = stage.open()
    stage.send(1, "start", on: page)
    stage.lose(page)
    #expect(stage.workshop.cancelled.withLock { $0 } == 0)

    stage.settle(.seconds(2_000))

    #expect(stage.room == nil)
    #expect(stage.workshop.cancelled.withLock { $0 } == 1)
  }

  @Test(arguments: [Place.stored, .storedShared])
  func `begins again after a kill, if the state says that it was under way`(place: Place) {
    let stage = Stage(place)
    let page = stage.open()
    stage.send(1, "start", on: page)
    stage.answer(3)
    stage.network.restartServer()
    #expect(stage.workshop.count == 0)
    stage.settle()

    page.resume()
    stage.settle()
    #expect(page.last("resumed")?["ack"] == 1)
    #expect(stage.workshop.count == 1 && page.state["work"]?["state"] == "running")
    stage.answer(10)
    stage.answer(20)
    #expect(page.state["sum"] == 33 && page.state["work"]?["state"] == "done")

    // What has ended does not begin again.
    stage.network.restartServer()
    stage.settle()
    page.resume()
    stage.settle()
    #expect(stage.workshop.count == 0 && page.state["work"]?["state"] == "done")
  }

  @Test func `ends when its screen leaves memory, and begins again when that comes back`() throws {
    let stage = Stage(.stored)
    let page = stage.open()
    stage.send(1, "start", on: page)
    stage.lose(page)
    stage.settle()
    let loop = try #require(stage.loop)
    let session = try #require(Array(loop.sessions.all).first)

    #expect(loop.sessions.unload(session))
    stage.settle()
    #expect(stage.workshop.cancelled.withLock { $0 } == 1 && stage.workshop.count == 0)
    page.resume()
    stage.settle()

    #expect(stage.workshop.count == 1 && page.state["work"]?["state"] == "running")
  }

  @Test func `keeps its screen in memory longer than others`() throws {
    let stage = Stage(.stored)
    let pages = (0..<3).map { _ in stage.open() }
    for page in pages { stage.send(1, "tap", on: page) }
    stage.send(2, "start", on: pages[2])
    for page in pages { stage.lose(page) }
    stage.settle()
    let loop = try #require(stage.loop)

    // The newest goes first, but for its task.
    stage.network.schedule(stage.network.now) { loop.freeMemory(part: 0.5) }
    stage.settle()

    #expect(Array(loop.sessions.all).count < 3)
    #expect(stage.workshop.cancelled.withLock { $0 } == 0 && stage.workshop.count == 1)
  }

  @Test func `is one of 64, and the log tells of more`() {
    let stage = Stage()
    let page = stage.open()

    page.send(#"{"input":1,"name":"flood","value":65}"#)
    stage.settle()
    #expect(stage.workshop.count == 64)
    #expect(stage.network.failures.count == 1)
    #expect(stage.network.failures.first?.contains("64 tasks of the screen are under way") == true)

    stage.answer(1)
    page.send(#"{"input":2,"name":"flood","value":1}"#)
    stage.settle()
    #expect(stage.workshop.count == 64 && stage.network.failures.count == 1)
  }

  @Test func `makes one turn of many reports`() {
    let stage = Stage()
    let page = stage.open()
    let before = page.values.count { $0["patch"] != nil }

    stage.send(1, "hurry", on: page)

    #expect(page.values.count { $0["patch"] != nil } == before + 1)
    #expect(page.state["work"]?["state"] == "done" && page.state["work"]?["fraction"] == 1)
  }

  @Test func `begins with its screen, and not with one that only tells its names`() throws {
    let stage = Stage()
    let page = RawPage(stage.network, "eager")
    stage.settle()
    #expect(stage.workshop.count == 1)
    stage.answer(5)
    #expect(page.state["begun"] == 5)

    let route = ScreenRoute(name: "eager", scope: .session) { [workshop = stage.workshop] context in
      InputOutputScreen(try EagerViewModel(context, workshop), name: "eager")
    }
    let scheduler = RoomScheduler(clock: { .zero }, wallClock: { 0 })
    let context = ScreenContext(screen: "eager", clock: scheduler, random: RandomSource(seed: 1))
    _ = try LoopContext.with(scheduler) { try route.probe(context) }
    #expect(stage.workshop.count == 0)
  }

  @Test func `is cancelled with a screen that cannot be made`() {
    let workshop = Workshop()
    let network = SimulatedNetwork(
      seed: 1,
      routes: [
        ScreenRoute(name: "eager", scope: .session) { [workshop] context in
          InputOutputScreen(try EagerViewModel(context, workshop, refuses: true), name: "eager")
        }
      ])
    let page = RawPage(network, "eager")
    network.run(until: .seconds(1))

    #expect(!page.frames.contains { $0.contains("snapshot") })
    #expect(workshop.cancelled.withLock { $0 } == 1 && workshop.count == 0)
  }

  @Test func `does not begin on another thread, and the log tells`() throws {
    let isElsewhere = Mutex(false)
    let posted = Mutex<[@Sendable () -> Void]>([])
    let scheduler = RoomScheduler(
      clock: { .zero }, wallClock: { 0 }, isOnLoop: { !isElsewhere.withLock { $0 } },
      enqueue: { work in posted.withLock { $0.append(work) } })
    var context = ScreenContext(screen: "eager", clock: scheduler, random: RandomSource(seed: 1))
    context.source = scheduler
    let runs = Mutex(0)

    isElsewhere.withLock { $0 = true }
    context.task { runs.withLock { $0 += 1 } }
    isElsewhere.withLock { $0 = false }
    #expect(runs.withLock { $0 } == 0 && posted.withLock(\.count) == 1)
    context.task { runs.withLock { $0 += 1 } }

    #expect(runs.withLock { $0 } == 1)
  }

  @Test func `reports from another thread, many times at once`() {
    let isElsewhere = Mutex(false)
    let posted = Mutex<[@Sendable () -> Void]>([])
    let scheduler = RoomScheduler(
      clock: { .zero }, wallClock: { 0 }, isOnLoop: { !isElsewhere.withLock { $0 } },
      enqueue: { work in posted.withLock { $0.append(work) } })
    var context = ScreenContext(screen: "", clock: scheduler, random: RandomSource(seed: 1))
    context.source = scheduler
    let work = ProgressTask(context)
    let workshop = Workshop()
    var reporter: ProgressTask.Reporter?
    work.start { progress in
      reporter = progress
      _ = try await workshop.ask()
    }

    isElsewhere.withLock { $0 = true }
    for number in 1...100 { reporter?.report(Double(number) / 1_000) }
    isElsewhere.withLock { $0 = false }
    #expect(posted.withLock(\.count) == 1 && work.progress.fraction == nil)
    for body in posted.withLock({ $0 }) { body() }
    #expect(work.progress.fraction == 0.1)

    // What comes after the end is nobody's business.
    work.cancel()
    reporter?.report(0.5)
    #expect(work.progress.state == .cancelled && work.progress.fraction == 0.1)
  }

  @Test func `comes back to its loop while others begin there`() async {
    let strays = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: strayTasks(of: 20_000)) }
    }

    #expect(strays == 0)
  }
}

/// Begins tasks on the calling thread as a loop, and counts those that come back to another one.
private func strayTasks(of count: Int) -> Int {
  let thread = ObjectIdentifier(Thread.current)
  let isOnLoop: @Sendable () -> Bool = { ObjectIdentifier(Thread.current) == thread }
  let posted = Mutex<[@Sendable () -> Void]>([])
  let scheduler = RoomScheduler(
    clock: { .zero }, wallClock: { 0 }, isOnLoop: isOnLoop,
    enqueue: { work in posted.withLock { $0.append(work) } })
  var context = ScreenContext(screen: "", clock: scheduler, random: RandomSource(seed: 1))
  context.source = scheduler
  let strays = Mutex(0)
  let ended = Mutex(0)
  func runPosted() {
    let all = posted.withLock { posted in
      defer { posted = [] }
      return posted
    }
    for work in all { LoopContext.with(scheduler, work) }
  }
  for begun in 1...count {
    LoopContext.with(scheduler) {
      _ = context.task {
        await Task.detached {}.value
        if !isOnLoop() { strays.withLock { $0 += 1 } }
        ended.withLock { $0 += 1 }
      }
    }
    while begun - ended.withLock({ $0 }) >= 32 { runPosted() }
  }
  while ended.withLock({ $0 }) < count { runPosted() }
  return strays.withLock { $0 }
}
