// SPDX-License-Identifier: Apache-2.0
package import GalleryAPI
package import MusubiBinding
package import MusubiRx

/// A board of cards in three columns that everybody in the room edits, moves and deletes.
package final class BoardViewModel: InputOutputViewModel, Restorable {
  package struct Inputs: Decodable {
    package var title: Signal<RowText<Int>> = .never()
    package var add: Signal<Void> = .never()
    package var fill: Signal<Void> = .never()
    package var delete: Signal<Int> = .never()
    package var undo: Signal<Void> = .never()
    package var move: Signal<RowMove<Int>> = .never()

    package init() {}
  }

  package struct Outputs: Encodable {
    package let cards: Driver<BoardCards>
    /// The card that `undo` brings back; none if there is none.
    package let deleted: Driver<[Deleted]>
    package let people: Driver<[NoteViewModel.Writer]>
    package let isFull: Driver<Bool>
    /// Whether a change could not be kept: it is not made then.
    package let hasFailed: Driver<Bool>
  }

  /// A card that was deleted.
  package struct Deleted: Encodable, Identifiable {
    package let id: Int
    package let text: String
  }

  /// What is stored beside the cards, which are in a database of their own.
  package struct State: Codable {
    /// The names of people without one.
    var names: [String: String] = [:]
    /// The titles that were typed last, as they belong to the inputs that pages need not send again: the database may be ahead.
    var typed: [Typed] = []
  }

  /// A title that was typed.
  package struct Typed: Codable {
    let id: Int
    let title: String
  }

  /// So many cards a board has at most.
  package static let most = 5_000
  /// A title has at most so many characters.
  private static let longestTitle = 300
  /// So many titles are stored with the room.
  private static let maxTyped = 50
  /// So many deleted cards come back.
  private static let maxDeleted = 20

  package var state: State { State(names: note.names, typed: typed) }

  private let context: ScreenContext
  private let board: String
  private let api: BoardAPI
  private let note: NoteViewModel
  private let cards: BehaviorRelay<[Card]>
  private let deleted: BehaviorRelay<[Card]>
  private var typed: [Typed]
  private let hasFailed = BehaviorRelay(value: false)
  private let disposeBag = DisposeBag()

  /// A board.
  ///
  /// - Parameters:
  ///   - context: The screen's; the board is the room's.
  ///   - api: Where the cards are.
  ///   - state: What was stored; nil for a room that begins.
  /// - Throws: If the cards cannot be read.
  package init(_ context: ScreenContext, api: BoardAPI, state: State?) throws {
    self.context = context
    board = context.room ?? ""
    self.api = api
    note = NoteViewModel(presence: context.presence, names: state?.names ?? [:], text: "title") { bound in
      Int(context.random.next() % UInt64(bound))
    }
    let stored = try context.value("cards") {
      let cards = try api.cards(of: context.room ?? "")
      return [cards.there, cards.deleted]
    }
    var there = stored[0]
    typed = state?.typed ?? []
    let titles = Dictionary(typed.map { ($0.id, $0.title) }, uniquingKeysWith: { $1 })
    for (place, card) in there.enumerated() {
      if let title = titles[card.id], title != card.title { there[place].title = title }
    }
    cards = BehaviorRelay(value: there)
    deleted = BehaviorRelay(value: stored[1])
  }

  package func bind(_ inputs: Inputs) -> Outputs {
    inputs.title.emit(onNext: { [unowned self] typed in rename(typed) }).disposed(by: disposeBag)
    inputs.add.emit(onNext: { [unowned self] in add([""]) }).disposed(by: disposeBag)
    inputs.fill.emit(onNext: { [unowned self] in
      add((1...max(1, Self.most - cards.value.count)).map { "Card \($0)" })
    }).disposed(by: disposeBag)
    inputs.delete.emit(onNext: { [unowned self] id in delete(id) }).disposed(by: disposeBag)
    inputs.undo.emit(onNext: { [unowned self] in undo() }).disposed(by: disposeBag)
    inputs.move.emit(onNext: { [unowned self] move in apply(move) }).disposed(by: disposeBag)
    return Outputs(
      cards: cards.map { BoardCards($0) }.asDriver(onErrorJustReturn: BoardCards([])),
      deleted: deleted.map { $0.suffix(1).map { Deleted(id: $0.id, text: $0.title) } }
        .asDriver(onErrorJustReturn: []),
      people: note.writers.asDriver(),
      isFull: cards.map { $0.count >= Self.most }.distinctUntilChanged().asDriver(onErrorJustReturn: false),
      hasFailed: hasFailed.asDriver())
  }

  /// Makes a change of the database, and of the cards if that has worked.
  private func attempt(_ body: (inout [Card]) throws -> Void) {
    var all = cards.value
    do {
      try body(&all)
      cards.accept(all)
      if hasFailed.value { hasFailed.accept(false) }
    } catch {
      context.report(error)
      hasFailed.accept(true)
    }
  }

  private func rename(_ text: RowText<Int>) {
    attempt { all in
      guard let place = all.firstIndex(where: { $0.id == text.id }) else { return }
      all[place].title = String(text.text.prefix(Self.longestTitle))
      try keep([all[place]])
      typed.removeAll { $0.id == text.id }
      typed = (typed + [Typed(id: text.id, title: all[place].title)]).suffix(Self.maxTyped)
    }
  }

  /// Puts cards on top of the first column.
  private func add(_ titles: [String]) {
    attempt { all in
      guard all.count + titles.count <= Self.most else { return }
      let first = (all.first?.place ?? 0) - Double(titles.count)
      let new = titles.enumerated().map { (Card.Column.todo, first + Double($0.offset), $0.element) }
      all = try once("added") { try api.add(new, to: board, once: $0) } + all
    }
  }

  private func delete(_ id: Int) {
    attempt { all in
      guard let place = all.firstIndex(where: { $0.id == id }) else { return }
      _ = try context.value("deleted") {
        try api.delete(id, of: board, keeping: Self.maxDeleted)
        return true
      }
      deleted.accept((deleted.value + [all.remove(at: place)]).suffix(Self.maxDeleted))
    }
  }

  private func undo() {
    attempt { all in
      guard let card = deleted.value.last, all.count < Self.most,
        try once("restored", { try api.restore(card.id, once: $0) })
      else { return }
      deleted.accept(deleted.value.dropLast())
      Self.insert(card, into: &all)
    }
  }

  /// Has the database keep cards as they are now; a replay of a record has no database.
  private func keep(_ cards: [Card]) throws {
    _ = try context.value("kept") {
      try api.keep(cards)
      return true
    }
  }

  /// Makes a change that must not happen again if its input comes again, after a kill of the process.
  private func once<Result: Codable>(_ name: String, _ body: (String) throws -> Result) rethrows -> Result {
    let effect = context.beginEffect()
    defer { effect.finish() }
    return try context.value(name) { try body(effect.key) }
  }

  /// Puts a card where its place says, as the database does.
  private static func insert(_ card: Card, into all: inout [Card]) {
    let next = all.firstIndex { ($0.place, $0.id) > (card.place, card.id) }
    all.insert(card, at: next ?? all.endIndex)
  }

  /// Puts a card in front of another one, or at the end of a column.
  private func apply(_ move: RowMove<Int>) {
    guard move.before != move.id else { return }
    attempt { all in
      guard let from = all.firstIndex(where: { $0.id == move.id }) else { return }
      var card = all.remove(at: from)
      // A page that shows all cards as one list names no column.
      let neighbour = move.before.flatMap { id in all.first { $0.id == id } }
      let column = Card.Column(rawValue: move.list) ?? (neighbour ?? card).column
      let others = all.filter { $0.column == column }
      // Somebody else may have moved that one away meanwhile: then it goes to the end.
      let next = move.before.flatMap { id in others.firstIndex { $0.id == id } } ?? others.endIndex
      let before = next > 0 ? others[next - 1].place : others.first.map { $0.place - 2 } ?? 0
      let after = next < others.endIndex ? others[next].place : before + 2
      (card.column, card.place) = (column, (before + after) / 2)
      if before < card.place, card.place < after {
        try keep([card])
        Self.insert(card, into: &all)
      } else {
        // No number lies between the two any longer: the column gets whole ones.
        var column = others
        column.insert(card, at: next)
        for place in column.indices { column[place].place = Double(place) }
        try keep(column)
        all.removeAll { $0.column == card.column }
        all = (all + column).sorted { ($0.place, $0.id) < ($1.place, $1.id) }
      }
    }
  }
}
