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
    package var undo: Signal<Int> = .never()
    package var move: Signal<RowMove<Int>> = .never()

    package init() {}
  }

  package struct Outputs: Encodable {
    package let cards: Driver<RowArray<Title>>
    /// The card that `undo` brings back next; none if there is none, or no space for it.
    package let deleted: Driver<[Deleted]>
    package let people: Driver<[NoteViewModel.Writer]>
    package let isFull: Driver<Bool>
    /// Whether there is no card; false as long as nobody knows.
    package let isEmpty: Driver<Bool>
    /// Whether a change could not be kept: it is not made then.
    package let hasFailed: Driver<Bool>
    /// Whether the cards have not come yet, because the database is away.
    package let isAway: Driver<Bool>
  }

  /// A card as a page shows it.
  package struct Title: Codable, Identifiable {
    package let id: Int
    package let title: String
  }

  /// A card that was deleted.
  package struct Deleted: Encodable, Identifiable {
    package let id: Int
    package let text: String

    init(_ card: Card) { (id, text) = (card.id, card.title) }
  }

  /// What is stored beside the cards, which are in a database of their own; in a cluster with the cards.
  package struct State: Codable {
    /// The names of people without one.
    var names: [String: String] = [:]
    /// The titles that were typed last, as they belong to the inputs that pages need not send again: the database may be ahead.
    var typed: [Title] = []
    package var board: KeptBoard?
  }

  /// So many cards a board has at most.
  package static let most = 5_000
  /// A title has at most so many Unicode scalars, of four bytes at most: a character may have any number of them.
  ///
  /// So many titles are stored with the room, and so many deleted cards come back.
  private static let (maxTitleScalars, maxTyped, maxDeleted) = (300, 50, 20)

  package var state: State { State(names: note.names, typed: typed, board: kept.stored) }

  private let context: ScreenContext
  private let kept: any KeptCards
  private let note: NoteViewModel
  private let cards = BehaviorRelay<[Card]>(value: [])
  private let deleted = BehaviorRelay<[Card]>(value: [])
  private var typed: [Title]
  private let (hasCome, hasFailed) = (BehaviorRelay(value: false), BehaviorRelay(value: false))
  private let disposeBag = DisposeBag()

  /// A board.
  ///
  /// - Parameters:
  ///   - context: The screen's; the board is the room's.
  ///   - kept: Where the cards are.
  ///   - state: What was stored; nil for a room that begins.
  /// - Throws: If the cards cannot be read.
  package init(_ context: ScreenContext, _ kept: any KeptCards, state: State?) throws {
    self.context = context
    self.kept = kept
    note = NoteViewModel(presence: context.presence, names: state?.names ?? [:], text: "title") { bound in
      Int(context.random.next() % UInt64(bound))
    }
    typed = state?.typed ?? []
    try kept.read { [typed, cards, deleted, hasCome] stored, gone in
      var there = stored
      for typed in typed { there[id: typed.id]?.title = typed.title }
      cards.accept(there)
      deleted.accept(gone)
      hasCome.accept(true)
    }
    BoardStay.follow(context, kept, cards, deleted).disposed(by: disposeBag)
  }

  package func bind(_ inputs: Inputs) -> Outputs {
    inputs.title.emit(onNext: { [unowned self] typed in rename(typed) }).disposed(by: disposeBag)
    inputs.add.emit(onNext: { [unowned self] in add([""]) }).disposed(by: disposeBag)
    inputs.fill.emit(onNext: { [unowned self] in fill() }).disposed(by: disposeBag)
    inputs.delete.emit(onNext: { [unowned self] id in delete(id) }).disposed(by: disposeBag)
    inputs.undo.emit(onNext: { [unowned self] id in undo(id) }).disposed(by: disposeBag)
    inputs.move.emit(onNext: { [unowned self] move in apply(move) }).disposed(by: disposeBag)
    let isFull = cards.asDriver().map { $0.count >= Self.most }.distinctUntilChanged()
    let isEmpty = Driver.combineLatest(cards.asDriver(), hasCome.asDriver()) { $0.isEmpty && $1 }
    return Outputs(
      cards: cards.asDriver().map(Self.rows),
      deleted: Driver.combineLatest(deleted.asDriver(), isFull) { $1 ? [] : $0.suffix(1).map(Deleted.init) },
      people: note.writers.asDriver(), isFull: isFull, isEmpty: isEmpty, hasFailed: hasFailed.asDriver(),
      isAway: kept.isAway)
  }

  /// The cards, of which each page looks at some: those of a column, found by a word.
  private static func rows(_ cards: [Card]) -> RowArray<Title> {
    RowArray(cards, as: { Title(id: $0.id, title: $0.title) }) { card, filter in
      filter.includes(part: card.column.rawValue) && filter.finds(card.$title)
    }
  }

  /// Makes a change of the database, and of the cards if that has worked.
  private func attempt(_ body: @escaping (inout [Card]) throws -> Void) {
    kept.whenRead { [unowned self] in
      do {
        try cards.update(body)
        kept.note(cards.value, deleted.value)
        if hasFailed.value { hasFailed.accept(false) }
      } catch {
        context.report(error)
        hasFailed.accept(true)
      }
    }
  }

  private func rename(_ text: RowText<Int>) {
    attempt { [unowned self] all in
      guard var card = all[id: text.id] else { return }
      card.title = String(text.text.unicodeScalars.prefix(Self.maxTitleScalars))
      try kept.keep([card])
      all[id: card.id] = card
      typed[id: card.id] = nil
      typed = (typed + [Title(id: card.id, title: card.title)]).suffix(Self.maxTyped)
    }
  }

  private func fill() { add((1...max(1, Self.most - cards.value.count)).map { "Card \($0)" }) }

  /// Puts cards on top of the first column.
  private func add(_ titles: [String]) {
    attempt { [unowned self] all in
      guard all.count + titles.count <= Self.most else { return }
      let first = (all.first?.place ?? 0) - Double(titles.count)
      all = try kept.add(titles.enumerated().map { (.todo, first + Double($0.offset), $0.element) }) + all
    }
  }

  private func delete(_ id: Int) {
    attempt { [unowned self] all in
      guard let card = all[id: id] else { return }
      try kept.delete(id, keeping: Self.maxDeleted)
      all[id: id] = nil
      deleted.accept((deleted.value + [card]).suffix(Self.maxDeleted))
    }
  }

  /// Brings back the card that somebody has seen named, which somebody else may have brought back meanwhile.
  private func undo(_ id: Int) {
    attempt { [unowned self] all in
      guard let card = deleted.value[id: id], all.count < Self.most else { return }
      if try kept.restore(id) { all = (all + [card]).sorted { $0.precedes($1) } }
      deleted.accept(deleted.value.filter { $0.id != id })
    }
  }

  /// Puts a card in front of another one, or at the end of a column.
  private func apply(_ move: RowMove<Int>) {
    attempt { [unowned self] all in
      guard move.before != move.id, var card = all[id: move.id] else { return }
      // A page that shows all cards as one list names no column.
      card.column = Card.Column(rawValue: move.list) ?? (move.before.flatMap { all[id: $0] } ?? card).column
      all[id: card.id] = nil
      var column = all.filter { $0.column == card.column }
      // Somebody else may have moved that one away meanwhile: then it goes to the end.
      if !column.insert(card, by: move) { column.append(card) }
      try kept.keep(column.number(card.id, by: \.place))
      all = (all.filter { $0.column != card.column } + column).sorted { $0.precedes($1) }
    }
  }
}
