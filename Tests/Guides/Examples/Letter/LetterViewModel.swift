import Musubi

/// A letter that everybody in the room writes, and who is there.
final class LetterViewModel {
  struct Inputs: Decodable {
    var letter: Signal<String> = .never()
  }

  struct Outputs: Encodable {
    let letter: Driver<String>
    let people: Driver<[Presence.Person]>
    let summary: Driver<String>
  }

  private let presence: Driver<Presence>

  init(presence: Driver<Presence>) { self.presence = presence }

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(
      letter: inputs.letter.asDriver(onErrorJustReturn: ""),
      people: presence.map(\.people),
      summary: presence.map(Self.summary))
  }

  private static func summary(of presence: Presence) -> String {
    let writers = presence.people.filter { $0.typing == "letter" }.map { $0.name ?? "Somebody" }
    let count = presence.count == 1 ? "1 person" : "\(presence.count) people"
    return writers.isEmpty ? "\(count) here." : "\(count) here. Writing: \(writers.joined(separator: ", "))."
  }
}
