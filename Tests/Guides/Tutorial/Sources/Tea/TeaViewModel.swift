import MusubiRx

/// Counts down while tea draws.
final class TeaViewModel {
  /// The text of the clock: "Tea?", then "2:59" and so on, and "Tea!" in the end.
  let clock: Driver<String>
  /// Whether tea is drawing.
  let isDrawing: Driver<Bool>

  init(
    minutes: Observable<String?>, start: Observable<Void>,
    scheduler: any SchedulerType = MainScheduler.instance
  ) {
    let remaining =
      start
      .withLatestFrom(minutes) { _, text in Self.seconds(text) }
      .flatMapLatest { seconds in
        Observable<Int>.interval(.seconds(1), scheduler: scheduler)
          .map { seconds - 1 - $0 }
          .startWith(seconds)
          .take(until: { $0 == 0 }, behavior: .inclusive)
      }
      .share(replay: 1)

    clock =
      remaining
      .map { $0 == 0 ? "Tea!" : Self.text($0) }
      .startWith("Tea?")
      .asDriver(onErrorJustReturn: "")
    isDrawing =
      remaining
      .map { $0 > 0 }
      .startWith(false)
      .distinctUntilChanged()
      .asDriver(onErrorJustReturn: false)
  }

  /// The seconds of the minutes that somebody has typed: 1 to 60 minutes, 3 if it is no number.
  private static func seconds(_ text: String?) -> Int {
    60 * min(max(text.flatMap { Int($0) } ?? 3, 1), 60)
  }

  private static func text(_ seconds: Int) -> String {
    let rest = seconds % 60
    return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
  }
}
