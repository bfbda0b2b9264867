import MusubiRx
import MusubiTesting
import Testing

@testable import Tea

@Suite struct `Tea` {
  private let scheduler = TestScheduler(initialClock: 0)
  private let minutes = BehaviorSubject<String?>(value: "1")
  private let start = PublishSubject<Void>()
  private let viewModel: TeaViewModel

  init() {
    viewModel = TeaViewModel(
      minutes: minutes.asObservable(), start: start.asObservable(), scheduler: scheduler)
  }

  @Test func `draws for a minute, second by second`() {
    let clock = scheduler.record(viewModel.clock)

    start.onNext(())
    scheduler.advanceTo(2)

    #expect(clock.texts == ["Tea?", "1:00", "0:59", "0:58"])
    scheduler.advanceTo(60)
    #expect(clock.texts.last == "Tea!")
  }

  @Test func `draws again when it is started again`() {
    let clock = scheduler.record(viewModel.clock)
    start.onNext(())
    scheduler.advanceTo(30)

    minutes.onNext("5")
    start.onNext(())
    scheduler.advanceTo(31)

    #expect(clock.texts.suffix(3) == ["0:30", "5:00", "4:59"])
  }

  @Test(arguments: ["", "tea", "0", "1000"]) func `draws for a sensible time, whatever is typed`(
    typed: String
  ) {
    let clock = scheduler.record(viewModel.clock)

    minutes.onNext(typed)
    start.onNext(())

    #expect(["1:00", "3:00", "60:00"].contains(clock.texts.last))
  }

  @Test func `can be started while none is drawing`() {
    let isDrawing = scheduler.record(viewModel.isDrawing)

    start.onNext(())
    scheduler.advanceTo(60)

    #expect(isDrawing.events == [.next(0, false), .next(0, true), .next(60, false)])
  }
}

extension TestableObserver<String> {
  /// The shown texts, without the times.
  fileprivate var texts: [String] { events.compactMap(\.value.element) }
}
