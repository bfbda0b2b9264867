import MusubiRx

/// Knows which names are taken; a test has a stub.
protocol Names {
  /// Whether nobody has the name yet.
  func isFree(_ name: String) -> Single<Bool>
}

/// Finds a name that nobody has.
final class SignUpViewModel {
  /// The page's inputs; a test names only those that it needs.
  struct Inputs: Decodable {
    var name: Signal<String> = .never()
    var join: Signal<Void> = .never()
  }

  /// The page's outputs.
  struct Outputs: Encodable {
    let advice: Driver<String>
    let cannotJoin: Driver<Bool>
    let welcome: Signal<String>
  }

  private enum Answer {
    case none, waiting, free(String), taken(String), failed
  }

  private let names: any Names
  private let scheduler: any SchedulerType

  init(names: any Names, scheduler: any SchedulerType = MainScheduler.instance) {
    self.names = names
    self.scheduler = scheduler
  }

  func bind(_ inputs: Inputs) -> Outputs {
    let name = inputs.name.asObservable()
    let found =
      name
      .debounce(.milliseconds(300), scheduler: scheduler)
      .flatMapLatest { [names] name -> Observable<Answer> in
        guard !name.isEmpty else { return .just(.none) }
        return names.isFree(name).asObservable()
          .map { $0 ? .free(name) : .taken(name) }
          .catchAndReturn(.failed)
      }
    let answer = Observable.merge(name.map { _ in .waiting }, found)
      .startWith(.none)
      .asDriver(onErrorJustReturn: .failed)
    let joined = inputs.join.asObservable().withLatestFrom(answer) { _, answer in answer }

    return Outputs(
      advice: answer.map { Self.advice($0) },
      cannotJoin: answer.map { if case .free = $0 { false } else { true } },
      welcome: joined.asSignal(onErrorSignalWith: .empty()).compactMap {
        if case .free(let name) = $0 { "Welcome, \(name)!" } else { nil }
      })
  }

  private static func advice(_ answer: Answer) -> String {
    switch answer {
    case .none: "Choose a name."
    case .waiting: "Looking …"
    case .free(let name): "\(name) is yours if you want it."
    case .taken(let name): "Somebody is called \(name) already."
    case .failed: "The names cannot be reached. Type on to try again."
    }
  }
}
