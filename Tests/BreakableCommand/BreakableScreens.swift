// SPDX-License-Identifier: Apache-2.0
import Glibc
import Musubi
import Synchronization

/// Screens that do what no screen should, when they are asked to.
enum BreakableScreens {
  static func add(to application: inout Application) {
    application.screen("counter", scope: .room, page: "number.html") { context in
      CounterView(taps: try context.restored() ?? 0)
    }
    application.screen("crash", page: "number.html") { _ in CrashView() }
    application.screen("trap", scope: .room, page: "number.html") { context in try TrappingView(context) }
    application.screen("burn", scope: .room, page: "number.html") { _ in BurningViewModel() }
    application.screen("stairs", page: "number.html") { _ in StairsViewModel() }
    application.screen("hoard", page: "number.html") { _ in HoardingView() }
    application.screen("calls", page: "number.html") { _ in CallingViewModel() }
    application.sharedModel("till") { context in TillModel(taps: try context.restored() ?? 0) }
    application.screen("till", page: "number.html") { context in
      TillViewModel(
        context.shared(room: context.query["room"] ?? "lobby"),
        state: try context.restored() ?? TillViewModel.State())
    }
  }
}

/// Counts taps, and keeps the count, which a lost or doubled tap would change.
final class CounterView: View, Restorable {
  private let label = Label("label")
  private let button = Button("tap")
  private(set) var state: Int

  init(taps: Int) { state = taps }

  override func viewDidLoad() {
    label.text = "\(state)"
    // A replay is to find it.
    let hasMistake = getenv("MUSUBI_PLANTED") != nil
    button.onTap = { [unowned self] in
      state += hasMistake && state == 4 ? 2 : 1
      label.text = "\(state)"
    }
  }
}

/// Takes its process with it, as a mistake in a ViewModel does in Swift.
final class CrashView: View {
  private let label = Label("label")
  private let button = Button("crash")

  override func viewDidLoad() {
    label.text = "whole"
    button.onTap = { preconditionFailure("A screen failed, as the test asked it to.") }
  }
}

/// Keeps its loop busy for as long as an input says.
final class BurningViewModel: InputOutputViewModel {
  struct Inputs: Decodable {
    /// Milliseconds.
    let burn: Signal<Int>
  }

  struct Outputs: Encodable {
    /// How often it has burnt.
    let count: Driver<Int>
  }

  func bind(_ inputs: Inputs) -> Outputs {
    let count = inputs.burn.scan(0) { count, milliseconds in
      let end = ContinuousClock.now + .milliseconds(milliseconds)
      while ContinuousClock.now < end {}
      return count + 1
    }
    return Outputs(count: count.asDriver(onErrorJustReturn: -1).startWith(0))
  }
}

/// Holds 256 KiB more with each tap, which nobody can count: its values do not tell of them.
final class HoardingView: View {
  private let label = Label("label")
  private let button = Button("tap")
  private var hoard: [[UInt8]] = []

  override func viewDidLoad() {
    label.text = "0"
    button.onTap = { [unowned self] in
      hoard.append([UInt8](repeating: 1, count: 256 * 1_024))
      label.text = "\(hoard.count)"
    }
  }
}

/// Opens another one of itself with each tap.
final class StairsViewModel: InputOutputViewModel {
  struct Inputs: Decodable { let tap: Signal<Void> }
  struct Outputs: Encodable { let next: Signal<StairsViewModel> }

  func bind(_ inputs: Inputs) -> Outputs { Outputs(next: inputs.tap.map { StairsViewModel() }) }
}

/// Calls a model that fails, never answers, or answers when nobody waits any more.
final class CallingViewModel: InputOutputViewModel {
  struct Inputs: Decodable {
    /// `fail`, `hang`, `late` (answers when the asking screen has gone), `gone` (answers when a late answer came), or
    /// any other word, which is answered at once.
    let call: Signal<String>
  }

  struct Outputs: Encodable {
    /// What the model said last.
    let answer: Driver<String>
  }

  func bind(_ inputs: Inputs) -> Outputs {
    let answer = inputs.call.asObservable().flatMap { word in
      Single<String>.create { try await Self.call(word) }.asObservable()
        .observe(on: MainScheduler.instance)
        .catch { .just("failed: \($0)") }
    }
    return Outputs(answer: answer.asDriver(onErrorJustReturn: "ended").startWith(""))
  }

  private static func call(_ word: String) async throws -> String {
    switch word {
    case "fail": throw CallError.refused
    case "hang": return try await withCheckedThrowingContinuation { hanging.keep($0) }
    case "late": return try await withCheckedThrowingContinuation { hanging.keepLate($0) }
    case "gone": return try await withCheckedThrowingContinuation { hanging.tellOfLate($0) }
    default: return "answered \(word)"
    }
  }

  deinit { Self.hanging.answerLate() }

  private static let hanging = HangingCalls()

  enum CallError: Error { case refused }
}

/// Calls that nobody will answer, or only when nobody waits any more: the model does not listen to cancellation.
final class HangingCalls: Sendable {
  typealias Call = CheckedContinuation<String, any Error>

  private struct State {
    var hanging: [Call] = []
    var late: [Call] = []
    var askedForLate: [Call] = []
    var hasAnsweredLate = false
  }

  private let state = Mutex(State())

  func keep(_ call: Call) { state.withLock { $0.hanging.append(call) } }

  func keepLate(_ call: Call) { state.withLock { $0.late.append(call) } }

  /// Answers when a late answer has been given.
  func tellOfLate(_ call: Call) {
    let isDue = state.withLock { state in
      if !state.hasAnsweredLate { state.askedForLate.append(call) }
      return state.hasAnsweredLate
    }
    if isDue { call.resume(returning: "answered gone") }
  }

  /// A screen has gone: late calls are answered now.
  func answerLate() {
    let (late, asked) = state.withLock { state in
      guard !state.late.isEmpty else { return ([Call](), [Call]()) }
      defer { (state.late, state.askedForLate, state.hasAnsweredLate) = ([], [], true) }
      return (state.late, state.askedForLate)
    }
    for call in late { call.resume(returning: "answered late") }
    for call in asked { call.resume(returning: "answered gone") }
  }
}

/// Counts the taps of the pages of all servers.
final class TillModel: SharedModel, Restorable {
  enum Command: Codable { case tap }

  let taps: BehaviorRelay<Int>
  var state: Int { taps.value }

  init(taps: Int) { self.taps = BehaviorRelay(value: taps) }

  func handle(_ command: Command, from sender: Visitor) -> Int {
    taps.accept(taps.value + 1)
    return taps.value
  }
}

/// Shows the till, and counts what it has answered.
final class TillViewModel: InputOutputViewModel, Restorable {
  struct State: Codable {
    var answers = 0
    var failures: [String] = []
  }

  struct Inputs: Decodable { let tap: Signal<Void> }

  struct Outputs: Encodable {
    let label: Driver<String>
    let answers: Driver<Int>
    let failures: Driver<[String]>
  }

  private let till: Shared<TillModel>
  private let answered: BehaviorRelay<State>
  private let bag = DisposeBag()
  var state: State { answered.value }

  init(_ till: Shared<TillModel>, state: State) {
    self.till = till
    answered = BehaviorRelay(value: state)
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.tap.emit(onNext: { [weak self] in self?.tap() }).disposed(by: bag)
    return Outputs(
      label: till.taps.map(String.init), answers: answered.asDriver().map(\.answers),
      failures: answered.asDriver().map(\.failures))
  }

  private func tap() {
    till.send(.tap).subscribe(
      onSuccess: { [answered] _ in answered.update { $0.answers += 1 } },
      onFailure: { [answered] error in answered.update { $0.failures.append("\(error)") } }
    ).disposed(by: bag)
  }
}
