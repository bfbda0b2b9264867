import MusubiRx

/// The points of one side.
final class ScoreViewModel {
  struct Inputs: Decodable {
    var viewDidAppear: Signal<Void> = .never()
    var score: Signal<Void> = .never()
  }

  struct Outputs: Encodable {
    let points: Driver<Int>
    let seen: Driver<Int>
  }

  struct State: Codable {
    var points = 0
    var seen = 0
  }

  private let relay: BehaviorRelay<State>
  private let disposeBag = DisposeBag()
  var state: State { relay.value }

  init(_ state: State) { relay = BehaviorRelay(value: state) }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.score.emit(onNext: { [unowned self] in change { $0.points += 1 } }).disposed(by: disposeBag)
    inputs.viewDidAppear.emit(onNext: { [unowned self] in change { $0.seen += 1 } }).disposed(by: disposeBag)
    return Outputs(points: relay.asDriver().map(\.points), seen: relay.asDriver().map(\.seen))
  }

  private func change(_ body: (inout State) -> Void) {
    var state = relay.value
    body(&state)
    relay.accept(state)
  }
}

/// A match of two sides: the same component twice.
final class MatchViewModel {
  struct Inputs: Decodable {
    var home = ScoreViewModel.Inputs()
    var guest = ScoreViewModel.Inputs()
  }

  struct Outputs: Encodable {
    let home: ScoreViewModel.Outputs
    let guest: ScoreViewModel.Outputs
    let leader: Driver<String>
  }

  private let home: ScoreViewModel
  private let guest: ScoreViewModel

  init(home: ScoreViewModel.State, guest: ScoreViewModel.State) {
    self.home = ScoreViewModel(home)
    self.guest = ScoreViewModel(guest)
  }

  func bind(_ inputs: Inputs) -> Outputs {
    let (home, guest) = (home.bind(inputs.home), guest.bind(inputs.guest))
    let leader = Driver.combineLatest(home.points, guest.points) { home, guest in
      home == guest ? "A draw" : home > guest ? "Home leads" : "The guests lead"
    }
    return Outputs(home: home, guest: guest, leader: leader)
  }
}
