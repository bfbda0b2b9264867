// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import MusubiTesting
import Testing

extension ReactiveCore {
  @Suite struct `Ends of subscriptions` {
    private func counter(_ log: Log, _ name: String = "x") -> any Disposable {
      Disposables.create { log.note(name) }
    }

    @Test func `an action runs once`() {
      let log = Log()
      let disposable = Disposables.create { log.note("x") }
      #expect(!disposable.isDisposed)
      disposable.dispose()
      disposable.dispose()
      #expect(disposable.isDisposed)
      #expect(log.text == "x")
    }

    @Test(arguments: [0, 1, 2, 3, 4, 7]) func `a composition of any number disposes each once`(count: Int) {
      let log = Log()
      let all = (0..<count).map { counter(log, "\($0)") }
      let whole = Disposables.create(all)
      whole.dispose()
      whole.dispose()
      #expect(log.entries.sorted() == (0..<count).map(String.init))
    }

    @Test func `two and more by arguments`() {
      let log = Log()
      Disposables.create(counter(log, "a"), counter(log, "b")).dispose()
      Disposables.create(counter(log, "a"), counter(log, "b"), counter(log, "c")).dispose()
      #expect(log.entries.sorted() == ["a", "a", "b", "b", "c"])
    }

    @Test func `a composite disposes what comes late at once`() {
      let log = Log()
      let composite = CompositeDisposable()
      _ = composite.insert(counter(log, "a"))
      #expect(composite.count == 1)
      composite.dispose()
      #expect(composite.insert(counter(log, "b")) == nil)
      #expect(log.text == "a b")
      #expect(composite.count == 0)
      #expect(composite.isDisposed)
    }

    @Test func `a composite disposes a removed disposable`() {
      let log = Log()
      let composite = CompositeDisposable(counter(log, "a"), counter(log, "b"))
      let key = composite.insert(counter(log, "c"))
      #expect(composite.count == 3)
      if let key { composite.remove(for: key) }
      if let key { composite.remove(for: key) }
      #expect(log.text == "c")
      #expect(composite.count == 2)
      composite.dispose()
      #expect(log.entries.sorted() == ["a", "b", "c"])
    }

    @Test func `a composite takes several from the start`() {
      let log = Log()
      CompositeDisposable(disposables: [counter(log), counter(log), counter(log)]).dispose()
      CompositeDisposable(counter(log), counter(log), counter(log)).dispose()
      CompositeDisposable(counter(log), counter(log), counter(log), counter(log), counter(log)).dispose()
      #expect(log.entries.count == 11)
    }

    @Test func `a serial one disposes the old when it gets a new`() {
      let log = Log()
      let serial = SerialDisposable()
      serial.disposable = counter(log, "a")
      serial.disposable = counter(log, "b")
      #expect(log.text == "a")
      serial.dispose()
      serial.disposable = counter(log, "c")
      #expect(log.text == "a b c")
      #expect(serial.isDisposed)
    }

    @Test func `a single assignment takes one before or after its disposal`() {
      let log = Log()
      let early = SingleAssignmentDisposable()
      early.setDisposable(counter(log, "a"))
      early.dispose()
      early.dispose()
      let late = SingleAssignmentDisposable()
      late.dispose()
      late.setDisposable(counter(log, "b"))
      #expect(log.text == "a b")
      #expect(late.isDisposed)
    }

    @Test func `a boolean one tells whether it was disposed`() {
      let disposable = BooleanDisposable()
      #expect(!disposable.isDisposed)
      disposable.dispose()
      #expect(disposable.isDisposed)
      #expect(BooleanDisposable(isDisposed: true).isDisposed)
    }

    @Test func `a counted one waits for all who retained it`() {
      let log = Log()
      let counted = RefCountDisposable(disposable: counter(log))
      let first = counted.retain()
      let second = counted.retain()
      counted.dispose()
      #expect(!counted.isDisposed)
      first.dispose()
      first.dispose()
      #expect(log.text == "")
      second.dispose()
      #expect(log.text == "x")
      #expect(counted.isDisposed)
      counted.retain().dispose()
      #expect(log.text == "x")
    }

    @Test func `a counted one that nobody retained goes at once`() {
      let log = Log()
      let counted = RefCountDisposable(disposable: counter(log))
      counted.dispose()
      counted.dispose()
      #expect(log.text == "x")
    }

    @Test func `released holders alone do not dispose it`() {
      let log = Log()
      let counted = RefCountDisposable(disposable: counter(log))
      counted.retain().dispose()
      #expect(log.text == "")
      counted.dispose()
      #expect(log.text == "x")
    }

    @Test func `a scheduled one disposes on its scheduler`() {
      let log = Log()
      let scheduler = TestScheduler(initialClock: 0)
      let disposable = ScheduledDisposable(scheduler: scheduler, disposable: counter(log))
      disposable.dispose()
      #expect(log.text == "")
      scheduler.start()
      #expect(log.text == "x")
      #expect(disposable.isDisposed)
    }

    @Test func `a bag disposes when it goes`() {
      let log = Log()
      do {
        let bag = DisposeBag()
        counter(log, "a").disposed(by: bag)
        bag.insert(counter(log, "b"), counter(log, "c"))
        bag.insert([counter(log, "d")])
        bag.insert {
          counter(log, "e")
          counter(log, "f")
        }
        #expect(log.text == "")
      }
      #expect(log.entries.sorted() == ["a", "b", "c", "d", "e", "f"])
    }

    @Test func `a bag may be filled from the start`() {
      let log = Log()
      do {
        let bags = [
          DisposeBag(disposing: counter(log, "a"), counter(log, "b")),
          DisposeBag(disposing: [counter(log, "c")]),
          DisposeBag {
            counter(log, "d")
            counter(log, "e")
          },
        ]
        #expect(bags.count == 3)
        #expect(log.text == "")
      }
      #expect(log.entries.sorted() == ["a", "b", "c", "d", "e"])
    }

    @Test func `a new bag in place of the old ends the old subscriptions`() {
      let subject = PublishSubject<Int>()
      var seen: [Int] = []
      var bag = DisposeBag()
      subject.subscribe(onNext: { seen.append($0) }).disposed(by: bag)
      subject.onNext(1)
      bag = DisposeBag()
      subject.onNext(2)
      #expect(seen == [1])
      #expect(!subject.hasObservers)
      counter(Log()).disposed(by: bag)
    }

    @Test(arguments: ["end", "error", "disposal"])
    func `closures go with the subscription, though its handle is kept`(how: String) {
      final class Big {}
      let subjects = (0..<4).map { _ in PublishSubject<Int>() }
      weak var watched: Big?
      let handles: [any Disposable]
      do {
        let big = Big()
        watched = big
        handles = [
          subjects[0].subscribe(onNext: { _ in _ = big }), subjects[1].subscribe { _ in _ = big },
          subjects[2].subscribe(onError: { _ in _ = big }, onCompleted: { _ = big }, onDisposed: { _ = big }),
          subjects[3].map { _ in _ = big }.take(1).asSingle().subscribe(
            onSuccess: { _ = big }, onFailure: { _ in }),
        ]
      }
      #expect(watched != nil)

      for subject in subjects {
        if how == "end" {
          subject.onNext(1)
          subject.onCompleted()
        } else if how == "error" {
          subject.onError(TestError.a)
        }
      }
      if how == "disposal" { for handle in handles { handle.dispose() } }

      #expect(watched == nil)
      #expect(handles.count == 4)
    }

    @Test func `a strong self in a one-shot call is a cycle only until the answer`() {
      final class ViewModel {
        let bag = DisposeBag()
        var value = 0

        func load(_ source: Observable<Int>) {
          source.subscribe(onNext: { self.value = $0 }).disposed(by: bag)
          source.asDriver(onErrorJustReturn: 0).drive(onNext: { self.value = $0 }).disposed(by: bag)
        }
      }
      weak var watched: ViewModel?
      do {
        let viewModel = ViewModel()
        watched = viewModel
        viewModel.load(.just(3))
        #expect(viewModel.value == 3)
      }
      #expect(watched == nil)
    }

    @Test func `a strong self on a stream that goes on is a leak that a test sees`() {
      final class Screen {
        let bag = DisposeBag()
        var value = 0

        func follow(_ source: Observable<Int>, weakly: Bool) {
          if weakly {
            source.subscribe(onNext: { [weak self] in self?.value = $0 }).disposed(by: bag)
          } else {
            source.subscribe(onNext: { self.value = $0 }).disposed(by: bag)
          }
        }
      }
      let source = PublishSubject<Int>()
      weak var careful: Screen?
      weak var careless: Screen?
      do {
        let screens = [Screen(), Screen()]
        (careful, careless) = (screens[0], screens[1])
        screens[0].follow(source, weakly: true)
        screens[1].follow(source, weakly: false)
      }
      #expect(careful == nil)
      #expect(careless != nil)
      source.onCompleted()
      #expect(careless == nil)
    }
  }
}
