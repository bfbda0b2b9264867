// SPDX-License-Identifier: Apache-2.0
package import GalleryAPI
package import struct Foundation.Date
package import MusubiBinding
package import MusubiRx

/// One entry on its own page, and the way to the one before it.
package final class ContentViewModel {
  /// What the page sends.
  package struct Inputs: Decodable {
    package var older: Signal<Void>

    /// Streams that never emit, but for those that are named.
    package init(older: Signal<Void> = .never()) { self.older = older }
  }

  /// What the page shows.
  package struct Outputs: Encodable {
    package let isLoading: Driver<Bool>
    /// Whether the entry cannot be read.
    package let hasFailed: Driver<Bool>
    package let isMissing: Driver<Bool>
    package let title: Driver<String>
    package let text: Driver<String>
    package let author: Driver<String>
    package let time: Driver<Date>
    package let isGone: Driver<Bool>
    package let hasOlder: Driver<Bool>
    package let olderAddress: Driver<String?>
    package let olderEntry: Signal<ContentViewModel>
  }

  /// The entry's number.
  package let id: Content.ID
  /// The entry; nil until it is known.
  package var content: Content? { entry.value }
  private let model: Shared<ContentsModel>
  private let entry: BehaviorRelay<Content?>
  private let hasFailed = BehaviorRelay(value: false)
  private let fetches: Bool
  private let disposeBag = DisposeBag()

  /// The page of an entry.
  ///
  /// - Parameters:
  ///   - id: The entry's number.
  ///   - content: The entry, if it is known.
  ///   - model: All entries.
  ///   - fetches: Whether it has the model read them: nobody else may have asked yet.
  package init(
    _ id: Content.ID, _ content: Content? = nil, model: Shared<ContentsModel>, fetches: Bool = false
  ) {
    self.id = id
    self.fetches = fetches
    self.model = model
    entry = BehaviorRelay(value: content)
  }

  /// Shows the entry, which does not change; it may be deleted while somebody reads it.
  package func bind(_ inputs: Inputs) -> Outputs {
    let id = id
    if fetches {
      // Who waits for the entry gets it when the database is back.
      Observable.deferred { [model] in model.send(.fetch).asObservable() }
        .do(onError: { [hasFailed] _ in hasFailed.accept(true) })
        .retry(when: { $0.delay(.seconds(5), scheduler: MainScheduler.instance) })
        .subscribe().disposed(by: disposeBag)
    }
    model.contents
      .drive(onNext: { [entry] list in
        guard entry.value == nil, let content = list?.first(where: { $0.id == id }) else { return }
        entry.accept(content)
      })
      .disposed(by: disposeBag)
    // Nil until the model has answered.
    let contents: Driver<[Content]?> = model.contents.startWith(nil)
    let isUnknown = Driver.combineLatest(entry.asDriver(), contents) { $0 == nil && $1 == nil }
    let isThere = contents.map { list in list.map { list in list.contains { $0.id == id } } }
    let older = contents.map { list in list?.first { $0.id < id } }
    let shown = entry.asDriver().compactMap { $0 }
    return Outputs(
      isLoading: Driver.combineLatest(isUnknown, hasFailed.asDriver()) { $0 && !$1 },
      hasFailed: Driver.combineLatest(isUnknown, hasFailed.asDriver()) { $0 && $1 },
      isMissing: Driver.combineLatest(entry.asDriver(), isThere) { $0 == nil && $1 == false },
      title: shown.map(\.title), text: shown.map(\.text), author: shown.map(\.author),
      time: shown.map(\.time),
      isGone: Driver.combineLatest(entry.asDriver(), isThere) { $0 != nil && $1 == false },
      hasOlder: older.map { $0 != nil }, olderAddress: older.map { $0?.address },
      olderEntry: inputs.older.withLatestFrom(older)
        .compactMap { [model] entry in entry.map { ContentViewModel($0.id, $0, model: model) } })
  }
}
