// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import Testing

private let ann = Visitor(id: "ann", roles: ["host"])
private let bob = Visitor(id: "bob")

/// Tells who sent what.
private final class ChatViewModel: InputOutputViewModel {
  struct Line: Codable, Identifiable { let id: Int }

  struct Inputs: Decodable {
    var viewDidLoad: Signal<Sent<Void>> = .never()
    var tap: Signal<Sent<Void>> = .never()
    var say: Signal<Sent<String>> = .never()
    var vote: Signal<Sent<Int>> = .never()
    var line: Signal<Sent<Line>> = .never()
    var maybe: Signal<Sent<Int?>> = .never()
    var late: Signal<Sent<String>> = .never()
    var slow: Signal<Sent<String>> = .never()
  }

  struct Outputs: Encodable {
    let log: Driver<[String]>
    let say: Driver<String>
  }

  let answers = PublishRelay<String>()
  let door = AsyncStream<Void>.makeStream()
  let told = AsyncStream<String>.makeStream()
  private let bag = DisposeBag()

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.slow.asObservable().flatMap { [opening = door.stream] sent in
      Single.create { await opening.first { _ in true } }.map { _ in sent }
    }.subscribe(onNext: { [told] in
      told.continuation.yield("\($0.value) \($0.sender.id ?? "nobody")")
    }).disposed(by: bag)
    let late = inputs.late.flatMap { [answers] sent in
      answers.take(1).map { Sent("\(sent.value) \($0)", by: sent.sender) }
        .asSignal(onErrorSignalWith: .empty())
    }
    let all: Signal<String> = Signal.merge(
      inputs.viewDidLoad.map { "load \($0.sender.id ?? "nobody")" },
      inputs.tap.map { "tap \($0.sender.id ?? "nobody")" },
      inputs.say.map { "say \($0.value) \($0.sender.id ?? "nobody")" },
      inputs.vote.map { "vote \($0.value) \($0.sender.id ?? "nobody")" },
      inputs.line.map { "line \($0.value.id) \($0.sender.id ?? "nobody")" },
      inputs.maybe.map { "maybe \($0.value ?? 0) \($0.sender.id ?? "nobody")" },
      late.map { "late \($0.value) \($0.sender.id ?? "nobody")" })
    let log = all.scan([]) { $0 + [$1] }.asDriver(onErrorJustReturn: [])
    return Outputs(log: log, say: inputs.say.map { $0.value.uppercased() }.asDriver(onErrorJustReturn: ""))
  }
}

/// The same by outlets.
private final class BuzzerView: View {
  private let buzz = Button("buzz")
  private let name = TextField("name")
  private let first = Label("first")
  private let reset = Button("reset")
  private let disposeBag = DisposeBag()

  override class var rules: [InputRule<View>] { [.allow("reset", for: .role("host"))] }

  override func viewDidLoad() {
    reset.onTap = { [unowned self] in first.text = "nobody yet" }
    buzz.rx.tap.withSender.map { $0.sender.id ?? "nobody" }.bind(to: first.rx.text).disposed(
      by: disposeBag)
  }
}

@Suite(.timeLimit(.minutes(5))) struct `A value with its sender` {
  @Test func `is what an input of any type may be`() throws {
    let screen = try TestScreen(visitor: ann) { ChatViewModel() }

    try screen.tap("tap")
    try screen.type("hello", into: "say")
    screen.visitor = bob
    try screen.send(3, to: "vote")
    try screen.send(["id": 7], to: "line")
    try screen.send(Int?.none, to: "maybe")

    #expect(
      screen["log"] == #"["load nobody","tap ann","say hello ann","vote 3 bob","line 7 bob","maybe 0 bob"]"#)
    #expect(screen["say"] == "HELLO")
  }

  @Test func `keeps its sender while somebody else acts`() throws {
    let viewModel = ChatViewModel()
    let screen = try TestScreen(visitor: ann) { viewModel }

    try screen.type("wait", into: "late")
    screen.visitor = bob
    try screen.tap("tap")
    viewModel.answers.accept("done")

    #expect(screen["log"] == #"["load nobody","tap bob","late wait done ann"]"#)
  }

  @Test func `keeps its sender over an await`() async throws {
    let viewModel = ChatViewModel()
    let screen = try TestScreen(visitor: ann) { viewModel }

    try screen.type("wait", into: "slow")
    screen.visitor = bob
    try screen.tap("tap")
    viewModel.door.continuation.yield()

    #expect(await viewModel.told.stream.first { _ in true } == "wait ann")
  }

  @Test func `comes from an outlet, too`() throws {
    let screen = try TestScreen(visitor: ann) { BuzzerView() }
    try screen.tap("buzz")
    #expect(screen["first"] == "ann")

    screen.visitor = .anonymous
    try screen.tap("buzz")
    #expect(screen["first"] == "nobody")
  }

  @Test func `comes from those alone who may send it`() throws {
    let screen = try TestScreen(visitor: bob) { BuzzerView() }
    #expect(throws: BindingError.notAllowed("reset")) { try screen.tap("reset") }
    screen.visitor = ann
    try screen.tap("reset")
    #expect(screen["first"] == "nobody yet")
  }

  @Test func `can be made by a unit test`() {
    #expect(Sent("a", by: ann) == Sent("a", by: ann))
    #expect(Sent("a", by: ann) != Sent("a", by: bob))
    #expect(Sent(by: bob).sender == bob)
  }
}
