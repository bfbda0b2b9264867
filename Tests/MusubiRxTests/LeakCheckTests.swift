// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import MusubiTesting
import Testing

@Suite struct `A leak check` {
  private final class Screen {
    let number = BehaviorRelay(value: 0)
    private let bag = DisposeBag()
    private var shown = 0

    init(tap: Observable<Int>, capturesStrongly: Bool) {
      if capturesStrongly {
        tap.subscribe(onNext: { self.shown = $0 }).disposed(by: bag)
      } else {
        tap.subscribe(with: self, onNext: { $0.shown = $1 }).disposed(by: bag)
        tap.subscribe(onNext: { [weak self] in self?.shown = $0 }).disposed(by: bag)
      }
    }
  }

  @Test func `finds a strong capture and names the object`() {
    let tap = PublishSubject<Int>()
    let finding = leak { Screen(tap: tap, capturesStrongly: true) }
    #expect(finding?.hasPrefix("Screen is still alive") == true)
    tap.onCompleted()
  }

  @Test func `is silent about weak captures`() {
    let tap = PublishSubject<Int>()
    #expect(leak { Screen(tap: tap, capturesStrongly: false) } == nil)
  }

  @Test func `is silent once a strong chain has ended`() {
    let tap = PublishSubject<Int>()
    let finding = leak {
      let screen = Screen(tap: tap, capturesStrongly: true)
      tap.onCompleted()
      return screen
    }
    #expect(finding == nil)
  }

  private final class Captured {}

  @Test func `finds nothing after groups that nobody subscribed to`() {
    let finding = leak {
      let captured = Captured()
      _ = Observable.of(1, 2, 3).groupBy { number in withExtendedLifetime(captured) { number } }.subscribe(
        onNext: { _ in })
      return captured
    }
    #expect(finding == nil)
  }

  @Test func `finds nothing after windows that nobody subscribed to`() {
    let scheduler = TestScheduler(initialClock: 0)
    let finding = leak {
      let captured = Captured()
      _ = Observable.of(1, 2, 3).window(timeSpan: .seconds(10), count: 2, scheduler: scheduler)
        .subscribe(onNext: { _ in withExtendedLifetime(captured) {} })
      return captured
    }
    // Empties the queue of cancelled work.
    scheduler.start()
    #expect(finding == nil)
  }

  @Test func `finds nothing after a source that ends before it may pass`() {
    let finding = leak {
      let captured = Captured()
      _ = Observable.of(1, 2, 3).skip(until: Observable<Int>.never())
        .subscribe(onNext: { _ in withExtendedLifetime(captured) {} })
      return captured
    }
    #expect(finding == nil)
  }
}
