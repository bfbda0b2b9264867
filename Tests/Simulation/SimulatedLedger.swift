// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import Synchronization

/// A shared model that keeps each number that it is given.
final class SimulatedLedger: SharedModel, Restorable {
  enum Command: Codable {
    case add(Int)
    /// Takes a while, and is half done meanwhile.
    case addSlowly(Int)
  }

  struct State: Codable {
    var sum = 0
    var numbers: [Int] = []
  }

  let sum: BehaviorRelay<Int>
  let numbers: BehaviorRelay<[Int]>
  private let clock: any SchedulerType
  private let account: Account
  private var isBusy = false

  var state: State { State(sum: sum.value, numbers: numbers.value) }

  init(_ context: ScreenContext, _ account: Account) throws {
    let state: State = try context.restored() ?? State()
    sum = BehaviorRelay(value: state.sum)
    numbers = BehaviorRelay(value: state.numbers)
    clock = context.clock
    self.account = account
  }

  func handle(_ command: Command, from sender: Visitor) async throws -> Int {
    if isBusy { account.note("a command begins while another one is under way") }
    isBusy = true
    defer { isBusy = false }
    let number: Int
    switch command {
    case .add(let value): number = value
    case .addSlowly(let value):
      number = value
      sum.accept(sum.value + value)
      await pause()
      sum.accept(sum.value - value)
    }
    account.take(number, key: Effect.currentKey ?? "")
    sum.accept(sum.value + number)
    numbers.accept(numbers.value + [number])
    return number
  }

  /// Lets virtual time pass.
  ///
  /// A killed server never goes on, so the continuation is an unsafe one.
  private func pause() async {
    await withUnsafeContinuation { continuation in
      _ = clock.scheduleRelative((), dueTime: .milliseconds(300)) {
        continuation.resume()
        return Disposables.create()
      }
    }
  }

  /// What all processes of a run have done.
  final class Account: Sendable {
    private struct Entries {
      var numbers: [String: Int] = [:]
      var problem: String?
    }

    private let entries = Mutex(Entries())

    /// What must not have happened but has.
    var problem: String? { entries.withLock { $0.problem } }

    func note(_ problem: String) { entries.withLock { $0.problem = $0.problem ?? problem } }

    /// A command is carried out, perhaps once more after a kill.
    func take(_ number: Int, key: String) {
      let known = entries.withLock { entries in
        defer { entries.numbers[key] = number }
        return entries.numbers[key]
      }
      if let known, known != number {
        note("the commands of \(known) and \(number) have the same key \(key)")
      }
    }
  }
}

/// One visitor's view of the ledger.
final class SimulatedLedgerScreen: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {
    var add: Signal<Int> = .never()
    var addSlowly: Signal<Int> = .never()
    /// Adds by a timer, of which no input waits.
    var addSoon: Signal<Int> = .never()
  }

  struct Outputs: Encodable {
    let sum: Driver<Int>
    let numbers: Driver<[Int]>
    let answers: Driver<[Int]>
  }

  private let ledger: Shared<SimulatedLedger>
  private let answers: BehaviorRelay<[Int]>
  private let bag = DisposeBag()

  var state: [Int] { answers.value }

  init(_ context: ScreenContext) throws {
    ledger = context.shared()
    answers = BehaviorRelay(value: try context.restored() ?? [])
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.add.emit(onNext: { [weak self] in self?.send(.add($0)) }).disposed(by: bag)
    inputs.addSlowly.emit(onNext: { [weak self] in self?.send(.addSlowly($0)) }).disposed(by: bag)
    inputs.addSoon.asObservable().delay(.milliseconds(500), scheduler: MainScheduler.instance)
      .subscribe(onNext: { [weak self] in _ = self?.ledger.send(.add($0)) }).disposed(by: bag)
    return Outputs(sum: ledger.sum, numbers: ledger.numbers, answers: answers.asDriver())
  }

  private func send(_ command: SimulatedLedger.Command) {
    ledger.send(command)
      .subscribe(
        onSuccess: { [answers] in answers.accept(answers.value + [$0]) },
        onFailure: { [answers] _ in answers.accept(answers.value + [-1]) }
      )
      .disposed(by: bag)
  }
}
