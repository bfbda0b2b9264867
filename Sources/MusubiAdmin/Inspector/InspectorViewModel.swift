// SPDX-License-Identifier: Apache-2.0
// Foundation is imported for names in addresses alone.
import Foundation
import MusubiBinding
import MusubiRx
import MusubiServer
import MusubiWire

/// The inspector: what happens in the rooms of a server, and what they have shown.
///
/// It is an ordinary screen, and changes nothing of what it shows.
final class InspectorViewModel: InputOutputViewModel {
  /// What the page sends.
  struct Inputs: Decodable {
    /// The id of a room, as in the page's address: `?room=` is for a screen's own room.
    var at: Signal<String> = .never()
    var search: Signal<String> = .never()
    /// A place of the slider; the last one is the newest turn.
    var turn: Signal<Int> = .never()
    var live: Signal<Void> = .never()
    /// Of a slow line: milliseconds, milliseconds and per cent.
    var latency: Signal<Int> = .never()
    var jitter: Signal<Int> = .never()
    var loss: Signal<Int> = .never()
  }

  /// What the page shows.
  struct Outputs: Encodable {
    /// The language of the page's texts, for `<html lang>`.
    let language: Driver<String>
    let title: Driver<String>
    let at: Driver<String>
    let search: Driver<String>
    let rooms: Driver<[InspectorRows.Room]>
    let chosen: Driver<InspectorRows.Chosen>
    let tree: Driver<[InspectorRows.Node]>
    let lines: Driver<[InspectorRows.Line]>
    let slider: Driver<InspectorRows.Slider>
    let turn: Driver<Int>
    let frame: Driver<InspectorRows.Frame>
    let isLive: Driver<Bool>
    let latency: Driver<Int>
    let jitter: Driver<Int>
    let loss: Driver<Int>
    /// The room's page over the slow line; empty where there is none.
    let slow: Driver<String>
  }

  /// How often the page looks for news.
  private static let beat = RxTimeInterval.milliseconds(200)

  private let rooms: InspectedRooms
  private let language: StatusLanguage
  private let clock: any SchedulerType
  private let choice: BehaviorRelay<InspectorPage.Choice>
  /// What the frame with the page shows.
  private let look: ShownPages.Look
  private let disposeBag = DisposeBag()

  /// An inspector.
  ///
  /// - Parameters:
  ///   - rooms: What it looks at.
  ///   - language: What the texts are in.
  ///   - room: The id of the room to begin with; nil for none.
  ///   - clock: The screen's own.
  init(rooms: InspectedRooms, language: StatusLanguage, room: String?, clock: any SchedulerType) {
    (self.rooms, self.language, self.clock) = (rooms, language, clock)
    let first = InspectorPage.Choice(room: room.flatMap { Int($0) })
    choice = BehaviorRelay(value: first)
    look = rooms.pages.look(at: first)
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.at.emit(onNext: { [unowned self] id in
      change {
        // Who comes back to an address without a room has chosen none.
        ($0.room, $0.line) = (Int(id), nil)
      }
    }).disposed(by: disposeBag)
    inputs.search.emit(onNext: { [unowned self] text in change { $0.search = text } }).disposed(
      by: disposeBag)
    inputs.turn.emit(onNext: { [unowned self] turn in change { $0.line = line(ofTurn: turn, in: $0.room) } })
      .disposed(by: disposeBag)
    inputs.live.emit(onNext: { [unowned self] in change { $0.line = nil } }).disposed(by: disposeBag)

    inputs.latency.emit(onNext: { [unowned self] latency in
      change { $0.slow.latency = .milliseconds(min(max(latency, 0), LineConditions.maxMilliseconds)) }
    }).disposed(by: disposeBag)
    inputs.jitter.emit(onNext: { [unowned self] jitter in
      change { $0.slow.jitter = .milliseconds(min(max(jitter, 0), LineConditions.maxMilliseconds)) }
    }).disposed(by: disposeBag)
    inputs.loss.emit(onNext: { [unowned self] loss in
      change { $0.slow.loss = min(max(loss, 0), LineConditions.maxLoss) }
    })
    .disposed(by: disposeBag)

    let news = Observable<Int>.interval(Self.beat, scheduler: clock)
      .map { [rooms] _ in rooms.version }.startWith(rooms.version).distinctUntilChanged()
    let page = Observable.combineLatest(news, choice.asObservable())
      .map { [rooms, language] _, choice in InspectorPage(rooms, choice, language) }
      .asDriver(onErrorDriveWith: .empty())
    let chosen = choice.asDriver()
    return Outputs(
      language: .just(language.tag), title: .just(language.text("Inspector", "インスペクター")),
      at: chosen.map { $0.room.map(String.init) ?? "" }, search: chosen.map(\.search),
      rooms: page.map(\.rooms), chosen: page.map(\.chosen), tree: page.map(\.tree), lines: page.map(\.lines),
      slider: page.map(\.slider), turn: page.map(\.turn), frame: page.map { [unowned self] in frame(of: $0) },
      isLive: chosen.map { $0.line == nil }, latency: chosen.map { Int($0.slow.latency / .milliseconds(1)) },
      jitter: chosen.map { Int($0.slow.jitter / .milliseconds(1)) }, loss: chosen.map(\.slow.loss),
      slow: chosen.map { [unowned self] in slowAddress($0) })
  }

  private func change(_ body: (inout InspectorPage.Choice) -> Void) {
    var next = choice.value
    body(&next)
    look.choice = next
    choice.accept(next)
  }

  /// Where the chosen room is over the slow line.
  private func slowAddress(_ choice: InspectorPage.Choice) -> String {
    // A session's own room is nobody else's.
    guard let address = rooms.pages.address, let room = choice.room.flatMap({ rooms.room($0) }),
      !room.name.isEmpty,
      let path = rooms.pages.pagePath(of: room)
    else { return "" }
    let name = room.name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return "\(address)\(path)?room=\(name)&\(choice.slow.query)"
  }

  private func frame(of page: InspectorPage) -> InspectorRows.Frame {
    guard let room = choice.value.room, let (path, outputs) = page.page else { return InspectorRows.Frame() }
    return InspectorRows.Frame(
      address: "\(path)?look=\(look.id)&of=\(room)-\(outputs)",
      title: language.text("The page as it was", "そのときのページ"))
  }

  /// The line of a place of the slider; nil for the last place, which goes on with the room.
  private func line(ofTurn turn: Int, in room: Int?) -> Int? {
    let turns = room.flatMap { rooms.room($0) }?.lines.filter(\.isTurn) ?? []
    guard turn < turns.count, let first = turns.first else { return nil }
    return turn > 0 ? turns[turn - 1].number : first.number - 1
  }
}
