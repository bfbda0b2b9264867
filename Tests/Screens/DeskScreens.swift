// SPDX-License-Identifier: Apache-2.0
import Musubi

/// A desk that everybody sees, and whose host alone works at it: with the role everywhere, or who sits down here first.
enum DeskScreens {
  static func add(to application: inout Application) {
    application.screen("desk", scope: .room, page: "desk.html") { _ in DeskViewModel() }
    application.allowsRoom { visitor, _, room in room != "office" || visitor.roles.contains("host") }
  }
}

private final class DeskViewModel: InputOutputViewModel {
  struct Card: Codable, Identifiable, Equatable {
    let id: Int
    let title: String
  }

  struct Inputs: Decodable {
    var sit: Signal<Sent<Void>> = .never()
    var stand: Signal<Void> = .never()
    var next: Signal<Void> = .never()
    var post: Signal<Void> = .never()
    var drop: Signal<Int> = .never()
    var title: Signal<String> = .never()
    var look: Signal<Void> = .never()
  }

  struct Outputs: Encodable {
    let host: Driver<String>
    let page: Driver<Int>
    let isLast: Driver<Bool>
    let title: Driver<String>
    let cards: Driver<[Card]>
    let looks: Driver<Int>
  }

  static var rules: [InputRule<Inputs>] {
    [
      .allow(\.next, for: .role("host")), .allow(\.post, for: .role("host")),
      .allow(\.drop, for: .role("host")),
      .allow(\.title, for: .role("host")), .allow(\.sit, for: .signedIn),
    ]
  }

  private let host = BehaviorRelay<String?>(value: nil)
  private let cards = BehaviorRelay(value: [Card(id: 1, title: "Card 1")])
  private let page = BehaviorRelay(value: 0)
  private let bag = DisposeBag()

  func roles(of visitor: Visitor) -> Set<Role> {
    visitor.id != nil && visitor.id == host.value ? ["host"] : []
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.sit.emit(onNext: { [host] in host.accept($0.sender.id) }).disposed(by: bag)
    inputs.stand.emit(onNext: { [host] in host.accept(nil) }).disposed(by: bag)
    inputs.next.emit(onNext: { [page] in page.accept(page.value + 1) }).disposed(by: bag)
    inputs.post.emit(onNext: { [cards] in
      let id = (cards.value.map(\.id).max() ?? 0) + 1
      cards.accept(cards.value + [Card(id: id, title: "Card \(id)")])
    }).disposed(by: bag)
    inputs.drop.emit(onNext: { [cards] id in cards.accept(cards.value.filter { $0.id != id }) }).disposed(
      by: bag)
    return Outputs(
      host: host.map { $0 ?? "nobody" }.asDriver(onErrorJustReturn: ""), page: page.asDriver(),
      isLast: page.map { $0 >= 2 }.asDriver(onErrorJustReturn: false),
      title: inputs.title.asDriver(onErrorJustReturn: ""), cards: cards.asDriver(),
      looks: inputs.look.scan(0) { count, _ in count + 1 }.startWith(0).asDriver(onErrorJustReturn: 0))
  }
}
