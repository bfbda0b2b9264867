// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import Synchronization

/// Money that several screens put into one place.
final class Till: SharedModel, Restorable {
  enum Command: Codable, Equatable {
    case add(Int)
    /// Adds when the desk says so.
    case addLater(Int)
    case fail
  }

  struct Empty: Error, Codable {
    let sum: Int
  }

  struct State: Codable {
    var sum = 0
    var from: [String] = []
  }

  let sum: BehaviorRelay<Int>
  let from: BehaviorRelay<[String]>
  /// When its clock has last rung.
  let beats = BehaviorRelay(value: 0)
  private let desk: Desk
  private let bag = DisposeBag()

  var state: State { State(sum: sum.value, from: from.value) }

  init(_ context: ScreenContext, _ desk: Desk = Desk()) throws {
    let state: State = try context.restored() ?? State()
    sum = BehaviorRelay(value: state.sum)
    from = BehaviorRelay(value: state.from)
    self.desk = desk
    if desk.ticks {
      Observable<Int>.interval(.seconds(1), scheduler: context.clock)
        .subscribe(onNext: { [beats] in beats.accept($0 + 1) }).disposed(by: bag)
    }
  }

  func handle(_ command: Command, from sender: Visitor) async throws(Empty) -> Int {
    desk.note(Effect.currentKey ?? "none")
    switch command {
    case .add(let amount): sum.accept(sum.value + amount)
    case .addLater(let amount):
      // Half of it at once, so that somebody could see a half.
      sum.accept(sum.value + amount)
      await desk.wait()
      sum.accept(sum.value + amount)
    case .fail: throw Empty(sum: sum.value)
    }
    from.accept(from.value + [sender.id ?? "nobody"])
    return sum.value
  }

  /// What a command waits for.
  final class Desk: Sendable {
    let ticks: Bool
    /// The keys of the commands, in all processes.
    var keys: [String] { noted.withLock { $0 } }
    private let noted = Mutex<[String]>([])
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

    init(ticks: Bool = false) { self.ticks = ticks }

    var count: Int { waiting.withLock { $0.count } }

    func wait() async {
      await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
    }

    func note(_ key: String) { noted.withLock { $0.append(key) } }

    func go() { waiting.withLock { $0.removeFirst() }.resume() }
  }
}

/// One visitor's view of the till.
final class TillScreen: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {
    var add: Signal<Int> = .never()
    var addLater: Signal<Int> = .never()
    /// Adds by a timer, of which no input waits.
    var addSoon: Signal<Int> = .never()
    var fail: Signal<Void> = .never()
  }

  struct Outputs: Encodable {
    let sum: Driver<Int>
    let from: Driver<[String]>
    let beats: Driver<Int>
    let answers: Driver<[String]>
  }

  private let till: Shared<Till>
  private let answers: BehaviorRelay<[String]>
  private let bag = DisposeBag()

  var state: [String] { answers.value }

  init(_ till: Shared<Till>, answers: [String] = []) {
    self.till = till
    self.answers = BehaviorRelay(value: answers)
  }

  convenience init(_ context: ScreenContext) throws {
    self.init(
      context.shared(Till.self, room: context.query["till"] ?? "main"), answers: try context.restored() ?? [])
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.add.emit(onNext: { [weak self] in self?.send(.add($0)) }).disposed(by: bag)
    inputs.addLater.emit(onNext: { [weak self] in self?.send(.addLater($0)) }).disposed(by: bag)
    inputs.addSoon.asObservable().delay(.seconds(1), scheduler: MainScheduler.instance)
      .subscribe(onNext: { [weak self] in self?.send(.add($0)) }).disposed(by: bag)
    inputs.fail.emit(onNext: { [weak self] in self?.send(.fail) }).disposed(by: bag)
    return Outputs(sum: till.sum, from: till.from, beats: till.beats, answers: answers.asDriver())
  }

  private func send(_ command: Till.Command) {
    till.send(command).subscribe(
      onSuccess: { [answers] in answers.accept(answers.value + ["\($0)"]) },
      onFailure: { [answers] in
        answers.accept(answers.value + [($0 as? Till.Empty).map { "empty at \($0.sum)" } ?? "\($0)"])
      }
    ).disposed(by: bag)
  }
}

/// Follows the till's relays in another order, and not all of them.
final class BeatScreen: InputOutputViewModel {
  struct Inputs: Decodable {}

  struct Outputs: Encodable {
    let beats: Driver<Int>
    let sum: Driver<Int>
  }

  private let till: Shared<Till>

  init(_ context: ScreenContext) { till = context.shared(room: context.query["till"] ?? "main") }

  func bind(_ inputs: Inputs) -> Outputs { Outputs(beats: till.beats, sum: till.sum) }
}

extension ScreenRoute {
  static let beats = ScreenRoute(name: "beats", scope: .session) {
    InputOutputScreen(BeatScreen($0), name: "beats")
  }

  static let till = ScreenRoute(name: "till", scope: .session) {
    InputOutputScreen(try TillScreen($0), name: "till")
  }
}
