// SPDX-License-Identifier: Apache-2.0
package import GalleryAPI
package import struct Foundation.Date
package import struct MusubiRx.Driver
package import struct MusubiRx.Signal

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
    package let title: Driver<String>
    package let text: Driver<String>
    package let author: Driver<String>
    package let time: Driver<Date>
    package let isGone: Driver<Bool>
    package let hasOlder: Driver<Bool>
    package let olderAddress: Driver<String?>
    package let olderEntry: Signal<ContentViewModel>
  }

  /// The entry.
  package let content: Content
  private let model: any ContentsModel

  /// The page of an entry.
  ///
  /// - Parameters:
  ///   - content: The entry.
  ///   - model: The other entries.
  package init(_ content: Content, model: any ContentsModel) {
    self.content = content
    self.model = model
  }

  /// Shows the entry, which does not change; it may be deleted while somebody reads it.
  package func bind(_ inputs: Inputs) -> Outputs {
    let id = content.id
    let contents = model.contents.asDriver(onErrorJustReturn: [])
    let older = contents.map { list in list.first { $0.id < id } }
    return Outputs(
      title: .just(content.title), text: .just(content.text), author: .just(content.author),
      time: .just(content.time),
      isGone: contents.map { list in !list.contains { $0.id == id } },
      hasOlder: older.map { $0 != nil }, olderAddress: older.map { $0?.address },
      olderEntry: inputs.older.withLatestFrom(older)
        .compactMap { [model] entry in entry.map { ContentViewModel($0, model: model) } })
  }
}
