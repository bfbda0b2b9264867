// SPDX-License-Identifier: Apache-2.0

// Signatures that code for RxSwift relies on: labels, generic shapes and overloads. That this file compiles is the test.

import Dispatch
import Foundation
import MusubiRx
import MusubiTesting

enum Names {
  static func subscribing(_ source: Observable<Int>, _ bag: DisposeBag) {
    let observer: AnyObserver<Int> = AnyObserver { _ in }
    source.subscribe(observer).disposed(by: bag)
    source.subscribe { (event: Event<Int>) in print(event) }.disposed(by: bag)
    source.subscribe(
      with: bag, onNext: { _, _ in }, onError: { _, _ in }, onCompleted: { _ in }, onDisposed: { _ in }
    )
    .disposed(by: bag)
    source.asSingle().subscribe { event in
      switch event {
      case .success(let value): print(value)
      case .failure(let error): print(error)
      }
    }.disposed(by: bag)
    source.asMaybe().subscribe { event in
      switch event {
      case .success(let value): print(value)
      case .error(let error): print(error)
      case .completed: print("completed")
      }
    }.disposed(by: bag)
    source.ignoreElements().asCompletable().subscribe { event in
      switch event {
      case .error(let error): print(error)
      case .completed: print("completed")
      }
    }.disposed(by: bag)
  }

  static func operators(_ source: Observable<Int>, _ scheduler: SchedulerType) -> [Observable<Int>] {
    [
      source.debug("name", trimOutput: true),
      source.share(replay: 1, scope: .forever),
      source.throttle(.milliseconds(1), latest: false, scheduler: scheduler),
      source.flatMapLatest { Observable.just($0) },
      source.concatMap { Single.just($0) },
      source.buffer(timeSpan: .seconds(1), count: 2, scheduler: scheduler).map { $0.count },
      source.window(timeSpan: .seconds(1), count: 2, scheduler: scheduler).merge(),
      source.multicast(PublishSubject<Int>()).refCount(),
      source.multicast { ReplaySubject<Int>.create(bufferSize: 1) }.refCount(),
      source.distinctUntilChanged { $0 == $1 },
      source.distinctUntilChanged { $0 },
      source.withLatestFrom(source) { $0 + $1 },
      source.reduce(0) { $0 + $1 },
      source.scan(into: 0) { $0 += $1 },
      source.enumerated().map { $0.index + $0.element },
      source.groupBy { $0 }.flatMap { $0.asObservable() },
      source.materialize().dematerialize(),
      source.timeout(.seconds(1), other: source, scheduler: scheduler),
      source.single { $0 > 1 },
      source.ifEmpty(switchTo: source),
      source.sample(source, defaultValue: 1),
      source.take(for: .seconds(1), scheduler: scheduler),
      source.retry(3),
      Observable<Int>.using({ BooleanDisposable() }, observableFactory: { _ in source }),
      Observable.zip(source, source, source) { $0 + $1 + $2 },
      Observable.combineLatest([source, source]) { $0.reduce(0, +) },
      Observable.amb([source, source]),
      Observable.generate(initialState: 0, condition: { $0 < 1 }, iterate: { $0 + 1 }),
      Observable.interval(.seconds(1), scheduler: scheduler),
      Observable.timer(.seconds(1), period: .seconds(1), scheduler: scheduler),
      Observable.from(optional: 1),
      Observable<Observable<Int>>.of(source).switchLatest(),
    ]
  }

  static func tuples(_ source: Observable<Int>) -> Observable<(Int, String)> {
    Observable.combineLatest(source, Observable.just("a"))
  }

  static func subjects() {
    let all: [any Disposable] = [PublishSubject<Int>(), BehaviorSubject(value: 1), AsyncSubject<Int>()]
    all.forEach { $0.dispose() }
    _ = ReplaySubject<Int>.createUnbounded()
    _ = ReplaySubject<Int>.create(bufferSize: 1)
  }

  static func schedulers() -> [any ImmediateSchedulerType] {
    [
      MainScheduler.instance, MainScheduler.asyncInstance, CurrentThreadScheduler.instance,
      SerialDispatchQueueScheduler(qos: .default), SerialDispatchQueueScheduler(internalSerialQueueName: "a"),
      SerialDispatchQueueScheduler(queue: DispatchQueue.main, internalSerialQueueName: "b"),
      ConcurrentDispatchQueueScheduler(qos: .background), ConcurrentDispatchQueueScheduler(queue: .main),
      OperationQueueScheduler(operationQueue: OperationQueue()), HistoricalScheduler(),
      TestScheduler(initialClock: 0),
      ConcurrentMainScheduler.instance,
    ]
  }

  static func relays(_ bag: DisposeBag) {
    let behavior = BehaviorRelay(value: 1)
    let publish = PublishRelay<Int>()
    publish.bind(to: behavior).disposed(by: bag)
    publish.asSignal().emit(to: behavior).disposed(by: bag)
    behavior.asDriver().drive(publish).disposed(by: bag)
    behavior.asDriver().drive(with: bag, onNext: { _, _ in }).disposed(by: bag)
    _ = behavior.asInfallible(onErrorJustReturn: 0)
    bag.insert([Disposables.create(), Disposables.create()])
  }

  static func infallibles() -> Infallible<Int> {
    Infallible.create { observer in
      observer(.next(1))
      observer(.completed)
      return Disposables.create()
    }
  }
}
