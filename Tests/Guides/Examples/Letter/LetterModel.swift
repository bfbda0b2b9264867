import Musubi
import Observation

/// The same as an `@Observable` class: people are a property like others.
@Observable final class LetterModel {
  var letter = ""
  private(set) var people: [Presence.Person] = []
  @ObservationIgnored private let disposeBag = DisposeBag()

  init(presence: Driver<Presence>) {
    presence.drive(onNext: { [unowned self] in people = $0.people }).disposed(by: disposeBag)
  }

  var names: String { people.map { $0.name ?? "somebody" }.joined(separator: ", ") }
}

extension LetterModel: ObservableViewModel {
  static var bindings: [PageBinding<LetterModel>] {
    [.field("letter", \.letter), .output("names", \.names)]
  }
}
