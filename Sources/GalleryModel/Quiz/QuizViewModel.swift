// SPDX-License-Identifier: Apache-2.0
import struct Foundation.Date
package import MusubiBinding
package import MusubiRx

/// A quiz that all in its room share; who sent an input decides what it does.
package final class QuizViewModel: InputOutputViewModel, Restorable {
  package struct Inputs: Decodable {
    package var host: Signal<Sent<Void>> = .never()
    package var name: Signal<Sent<String>> = .never()
    package var join: Signal<Sent<Void>> = .never()
    package var next: Signal<Sent<Void>> = .never()
    package var answer: Signal<Sent<Int>> = .never()
    package var leave: Signal<Sent<Void>> = .never()

    package init() {}
  }

  package struct Outputs: Encodable {
    package let scene: Driver<QuizScene>
    package let choices: Driver<[QuizChoice]>
    package let table: Driver<[QuizStanding]>
    /// To the page whose input it is about, and to no other.
    package let problem: Signal<QuizProblem>
  }

  package struct PersonalOutputs: Encodable {
    /// The answers with one's own, and for the host with how many chose which.
    let choices: [QuizChoice]
  }

  package static var rules: [InputRule<Inputs>] {
    [
      .allow(\.host, for: .role("guest")), .allow(\.name, for: .role("guest")),
      .allow(\.join, for: .role("guest")), .allow(\.next, for: .role("host")),
      .allow(\.answer, for: .role("player")), .allow(\.leave, for: .roles("host", "player")),
    ]
  }

  /// What survives a restart.
  package var state: QuizGame { game.value }

  private let room: String
  private let codes: QuizCodes
  private let clock: any SchedulerType
  private let game: BehaviorRelay<QuizGame>
  /// What visitors call themselves, the newest last; older ones are forgotten.
  private var names: [(id: String, name: String)] = []
  /// What pages show now.
  private var moment: QuizMoment?
  private let problem = PublishRelay<QuizProblem>()
  private let disposeBag = DisposeBag()

  /// A quiz, or one that was stored.
  package init(room: String, codes: QuizCodes, clock: any SchedulerType, state: QuizGame? = nil) {
    self.room = room
    self.codes = codes
    self.clock = clock
    game = BehaviorRelay(value: state ?? QuizGame())
    game.accept(coded(game.value))
  }

  deinit { codes.remove(room) }

  package func roles(of visitor: Visitor) -> Set<Role> {
    guard let id = visitor.id else { return [] }
    return id == game.value.host ? ["host"] : game.value.isPlayed(by: id) ? ["player"] : ["guest"]
  }

  package func personalOutputs(for visitor: Visitor) -> PersonalOutputs? {
    guard let moment, moment.game.question != nil else { return nil }
    return visitor.id.map { PersonalOutputs(choices: moment.choices(for: $0)) }
  }

  package func bind(_ inputs: Inputs) -> Outputs {
    on(inputs.host) { game, sent, id, _ in game.invite(id) }
    on(inputs.next) { game, _, _, now in game.next(now) }
    on(inputs.answer) { game, sent, id, now in game.answer(id, row: sent.value, now) }
    on(inputs.leave) { game, _, id, now in game.leave(id, now) }
    on(inputs.name) { [unowned self] _, sent, id, _ in
      names = names.filter { $0.id != id }.suffix(999) + [(id, String(sent.value.prefix(100)))]
      return nil
    }
    on(inputs.join) { [unowned self] game, sent, id, _ in
      game.join(id, as: names.last { $0.id == id && $0.name != "" }?.name ?? sent.sender.displayName ?? "")
    }
    let moment = game.flatMapLatest { [clock] game in
      Self.countdown(to: game.closesAt, clock).map { QuizMoment(game: game, secondsLeft: $0) }
    }.do(onNext: { [unowned self] in self.moment = $0 }).asDriver(onErrorDriveWith: .empty())
    return Outputs(
      scene: moment.map { [room] in QuizScene($0, room: room) }, choices: moment.map { $0.choices() },
      table: moment.map(\.table), problem: problem.asSignal())
  }

  private func on<Value>(
    _ input: Signal<Sent<Value>>,
    _ change: @escaping (inout QuizGame, Sent<Value>, _ id: String, _ now: Date) -> QuizProblem?
  ) {
    input.emit(onNext: { [weak self] sent in
      guard let self, let id = sent.sender.id else { return }
      var changed = game.value
      if let found = change(&changed, sent, id, clock.now) { return problem.accept(found) }
      game.accept(coded(changed))
    }).disposed(by: disposeBag)
  }

  /// A game with its code, which ends when nobody hosts it any more.
  private func coded(_ game: QuizGame) -> QuizGame {
    var game = game
    if game.host == nil { codes.remove(room) }
    game.code = game.host == nil ? nil : codes.code(of: room, wanted: game.code)
    return game
  }

  /// The seconds that remain, each when it begins, down to 0.
  private static func countdown(to end: Date, _ clock: any SchedulerType) -> Observable<Int> {
    let left = end.timeIntervalSince(clock.now)
    let seconds = max(0, Int(left.rounded(.up)))
    let first = RxTimeInterval.milliseconds(Int((left - Double(seconds - 1)) * 1_000))
    return Observable<Int>.timer(first, period: .seconds(1), scheduler: clock)
      .map { seconds - 1 - $0 }.startWith(seconds).take(seconds + 1)
  }
}
