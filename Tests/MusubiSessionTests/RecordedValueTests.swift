// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiRx
import Synchronization
import Testing

@testable import MusubiSession

/// A library outside: what it says differs at each call.
private final class Library: Sendable {
  let copies = SharedRelay(value: 10)
  /// Nobody subscribes to it.
  let loans = SharedRelay(value: 0)
  let news = SharedRelay<String>()
  private let state = Mutex((asked: 0, waiting: [CheckedContinuation<Void, Never>]()))

  var asked: Int { state.withLock { $0.asked } }

  /// What the library says at once.
  func ask() -> Int {
    state.withLock { state in
      state.asked += 1
      return state.asked
    }
  }

  /// What it says once it is open.
  func askWhenOpen() async -> [String] {
    await withCheckedContinuation { continuation in state.withLock { $0.waiting.append(continuation) } }
    return ["answer \(ask())"]
  }

  func close() { state.withLock { $0.asked = 100 } }

  func open() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}

/// Shows what a library says, by each of the ways that lead into a screen.
private final class LibraryView: View {
  let first = Label("first")
  let later = Label("later")
  let titles = Label("titles")
  let copies = Label("copies")
  let seen = Label("seen")
  let news = Label("news")
  let ask = Button("ask")
  let fetch = Button("fetch")
  let lend = Button("lend")
  let look = Button("look")
  let count = Button("count")
  let take = Button("take")
  let shut = Button("shut")
  private let context: ScreenContext
  private let library: Library
  private let isNamed: Bool
  private let disposeBag = DisposeBag()

  init(_ context: ScreenContext, _ library: Library, isNamed: Bool) {
    (self.context, self.library, self.isNamed) = (context, library, isNamed)
  }

  override func viewDidLoad() {
    first.text = "\(context.value("first") { library.ask() })"
    library.copies.asObservable().map { "\($0)" }.bind(to: copies.rx.text).disposed(by: disposeBag)
    library.news.asObservable().bind(to: news.rx.text).disposed(by: disposeBag)
    ask.onTap = { [unowned self] in later.text = "\(context.value("later") { library.ask() })" }
    count.onTap = { [unowned self] in
      let loans = library.loans.update { loans in
        loans += 1
        return loans
      }
      seen.text = "\(loans)"
    }
    take.onTap = { [unowned self] in later.text = context.once("taken") { "\($0) \(library.ask())" } }
    shut.onTap = { [unowned self] in
      context.perform("shut") { library.close() }
      seen.text = "shut"
    }
    look.onTap = { [unowned self] in seen.text = "\(library.copies.value ?? 0)" }
    lend.onTap = { [unowned self] in library.copies.update { $0 -= 1 } }
    fetch.onTap = { [unowned self] in
      let (context, library, isNamed) = (Carried(context), library, isNamed)
      let label = Carried(titles)
      context.element.task {
        let titles =
          isNamed
          ? await context.element.value("titles") { await library.askWhenOpen() }
          : await library.askWhenOpen()
        label.element.text = titles.joined()
      }
    }
  }
}

/// Shows what is being sent, in two places.
private final class SendingViewModel: InputOutputViewModel {
  struct Inputs: Decodable { var file: Signal<UploadedFile> = .never() }

  struct Outputs: Encodable { let first, second, copies: Driver<String> }

  static var rules: [InputRule<Inputs>] { [.limit(\.file, to: .kilobytes(1))] }

  private let outputs: Outputs

  init(_ context: ScreenContext, _ library: Library) {
    func told() -> Driver<String> {
      context.arrivingFiles(for: "file").map { $0.map { "\($0.name) \($0.received)" }.joined() }
    }
    outputs = Outputs(
      first: told(), second: told(),
      copies: library.copies.asObservable().map(String.init).asDriver(onErrorJustReturn: ""))
  }

  func bind(_ inputs: Inputs) -> Outputs { outputs }
}

/// Is written to by somebody who is no event.
private final class OutsideView: View {
  // Tests of this suite have it on one thread.
  nonisolated(unsafe) private static weak var last: OutsideView?
  let titles = Label("titles")
  let later = Label("later")
  let ask = Button("ask")
  private let context: ScreenContext
  private let library: Library

  init(_ context: ScreenContext, _ library: Library) {
    (self.context, self.library) = (context, library)
    super.init()
    Self.last = self
  }

  override func viewDidLoad() {
    ask.onTap = { [unowned self] in later.text = "\(context.value("later") { library.ask() })" }
  }

  static func write(_ text: String) { last?.titles.text = text }
}

@Suite struct `Values from elsewhere in a record` {
  private func route(_ library: Library, isNamed: Bool = true) -> ScreenRoute {
    ScreenRoute(name: "library", scope: .room) { LibraryView($0, library, isNamed: isNamed) }
  }

  private func replay(_ record: String, _ library: Library) throws -> RoomReplay.Report {
    try RoomReplay(record: record).run(SessionConfiguration(), models: ModelProbe(), route(library).make)
  }

  @Test func `that a screen asks for are not asked for again`() throws {
    let library = Library()
    let recorded = try RecordedRoom(route(library))
    recorded.join(1, at: 1)
    recorded.run(at: 10, .tap("ask", 1, 1))
    recorded.run(at: 20, .tap("ask", 1, 2), .tap("ask", 1, 3))
    #expect(library.asked == 4)

    let today = Library()
    for _ in 0..<50 { _ = today.ask() }
    let report = try replay(recorded.text, today)

    #expect(report.end == .same)
    #expect(report.missing == [])
    #expect(today.asked == 50)
  }

  @Test func `of relays that others change come when they came`() throws {
    let library = Library()
    let recorded = try RecordedRoom(route(library))
    recorded.join(1, at: 1)
    recorded.run(at: 10, .tap("lend", 1, 1))
    recorded.elsewhere(at: 20) { library.copies.accept(70) }
    recorded.run(at: 30, .tap("look", 1, 2), .tap("lend", 1, 3))
    library.loans.accept(500)
    recorded.run(at: 35, .tap("count", 1, 4))
    recorded.elsewhere(at: 40) { library.news.accept("open today") }
    recorded.elsewhere(at: 50) { library.news.accept("open today") }

    let today = Library()
    today.copies.accept(1_000)
    let report = try replay(recorded.text, today)

    #expect(report.end == .same)
    #expect(report.silent == 0)
    #expect(recorded.text.contains(#""path":"/copies","value":"69""#))
    #expect(recorded.text.contains(#""path":"/seen","value":"501""#))
    #expect(recorded.text.contains("open today"))
  }

  @Test func `that newer ones have overtaken stop no replay`() throws {
    let library = Library()
    let recorded = try RecordedRoom(route(library))
    recorded.join(1, at: 1)
    recorded.meanwhile(at: 10) { for copies in 70...73 { library.copies.accept(copies) } }
    recorded.run(at: 20, .tap("lend", 1, 1))

    let report = try replay(recorded.text, Library())

    #expect(report.end == .same)
    #expect(report.silent == 0)
    #expect(recorded.text.contains(#""path":"/copies","value":"73""#))
    #expect(!recorded.text.contains(#""path":"/copies","value":"70""#))
  }

  @Test func `of files that are being sent come from the record, also if they are asked for twice`() throws {
    let library = Library()
    let route = ScreenRoute(name: "sending", scope: .room) {
      InputOutputScreen(SendingViewModel($0, library), name: "sending")
    }
    let recorded = try RecordedRoom(route)
    recorded.join(1, at: 1)
    let room = FileArrivals.Room(screen: "sending", name: "a")
    recorded.arrivals.open(["file"], to: "ann", page: 1, of: room, owner: ObjectIdentifier(library))
    recorded.elsewhere(at: 10) {
      recorded.arrivals.note(
        ArrivingFile(id: "1", name: "tea", size: 8, received: 3), from: "ann",
        at: FileArrivals.Place(room, input: "file"))
    }
    recorded.elsewhere(at: 20) { library.copies.accept(70) }
    // The pause between two changes is over.
    recorded.run(at: 500)

    let report = try RoomReplay(record: recorded.text).run(
      SessionConfiguration(), models: ModelProbe(), route.make)

    #expect(report.end == .same)
    #expect(report.silent == 0)
    for output in ["first", "second"] {
      #expect(recorded.text.contains(#""path":"/\#(output)","value":"tea 3""#))
    }
    #expect(recorded.text.contains(#""path":"/copies","value":"70""#))
  }

  @Test func `that were made outside are not made again`() throws {
    let library = Library()
    let recorded = try RecordedRoom(route(library))
    recorded.join(1, at: 1)
    recorded.run(at: 10, .tap("take", 1, 1))
    recorded.run(at: 20, .tap("shut", 1, 2))
    #expect(library.asked == 100)
    #expect(recorded.text.contains("session-1/1 2"))

    let today = Library()
    let report = try replay(recorded.text, today)

    #expect(report.end == .same)
    #expect(report.missing == [])
    #expect(today.asked == 0)
  }

  @Test func `of a task come when they came`() throws {
    let library = Library()
    let recorded = try RecordedRoom(route(library))
    recorded.join(1, at: 1)
    recorded.run(at: 10, .tap("fetch", 1, 1))
    recorded.run(at: 20, .tap("ask", 1, 2))
    recorded.elsewhere(at: 30) { library.open() }
    #expect(recorded.text.contains("answer 3"))

    let today = Library()
    let report = try replay(recorded.text, today)

    #expect(report.end == .same)
    #expect(report.silent == 0)
    #expect(today.asked == 0)
  }

  @Test func `of a task without a name stop the replay`() throws {
    let library = Library()
    let route = route(library, isNamed: false)
    let recorded = try RecordedRoom(route)
    recorded.join(1, at: 1)
    recorded.run(at: 10, .tap("fetch", 1, 1))
    recorded.elsewhere(at: 30) { library.open() }

    let report = try RoomReplay(record: recorded.text).run(
      SessionConfiguration(), models: ModelProbe(), route.make)

    #expect(report.end == .cameFromOutside(turn: 3, at: .milliseconds(30), outputs: ["titles"]))
    library.open()
  }

  @Test func `that come before an event of the same turn are not taken for the event's own`() throws {
    let library = Library()
    let route = ScreenRoute(name: "library", scope: .room) { OutsideView($0, library) }
    let recorded = try RecordedRoom(route)
    recorded.join(1, at: 1)
    OutsideView.write("by hand")
    recorded.run(at: 10, .tap("ask", 1, 1))

    let report = try RoomReplay(record: recorded.text).run(
      SessionConfiguration(), models: ModelProbe(), route.make)

    #expect(report.end == .cameFromOutside(turn: 2, at: .milliseconds(10), outputs: ["later", "titles"]))

    // The loop's own event says it once.
    let quiet = try RecordedRoom(route)
    quiet.join(1, at: 1)
    OutsideView.write("")
    quiet.run(at: 10, .outside)
    #expect(quiet.text.components(separatedBy: "outside").count == 2)
  }

  @Test func `that a record does not have are named`() throws {
    let library = Library()
    let recorded = try RecordedRoom(route(library))
    recorded.join(1, at: 1)
    let text = recorded.text.replacing(#""name":"first""#, with: #""name":"former""#)

    let report = try replay(text, Library())

    #expect(report.missing == ["first"])
  }
}
