// SPDX-License-Identifier: Apache-2.0
import GalleryAPI
import MusubiBinding
import MusubiRx

/// Has a board stay while somebody looks at it, and an empty one end when its last page leaves.
enum BoardStay {
  /// How often a room says that it is there; far more often than boards end.
  private static let pause = RxTimeInterval.seconds(86_400)

  /// Follows who is in a board's room.
  ///
  /// - Parameters:
  ///   - context: The screen's.
  ///   - kept: Where the cards are.
  ///   - cards: The board's.
  ///   - deleted: Those that come back, until the board ends.
  /// - Returns: Ends it.
  static func follow(
    _ context: ScreenContext, _ kept: any KeptCards, _ cards: BehaviorRelay<[Card]>,
    _ deleted: BehaviorRelay<[Card]>
  ) -> any Disposable {
    // Nobody has asked for this, so the log alone hears that it has failed.
    func attempt(_ change: () throws -> Void) {
      do { try change() } catch { context.report(error) }
    }
    let visits = Observable<Int>.interval(Self.pause, scheduler: context.clock)
      .subscribe(onNext: { _ in attempt { try kept.visit() } })
    let departures = context.presence.map { $0.count == 0 }.distinctUntilChanged().skip(1).filter { $0 }
      .drive(onNext: { _ in
        kept.whenRead {
          guard cards.value.isEmpty else { return }
          attempt { try kept.end() }
          deleted.accept([])
        }
      })
    return Disposables.create(visits, departures)
  }
}
