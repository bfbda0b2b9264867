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
}
