// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import MusubiRx
import MusubiTesting
import Testing

private struct Failure: Error, Equatable {}

@Suite struct `Traits and bridges` {
  @Test func `a single delivers its element and tells its disposal`() {
    var seen: [String] = []

    _ = Single<Int>.create { observer in
      observer(.success(1))
      return Disposables.create { seen.append("disposed") }
    }.map { $0 + 1 }.subscribe(onSuccess: { seen.append("\($0)") }, onDisposed: { seen.append("end") })

    #expect(seen == ["2", "end", "disposed"])
  }

  @Test func `a maybe may be empty and a completable runs work in order`() {
    var seen: [String] = []

    _ = Maybe<Int>.empty().ifEmpty(default: 3).subscribe(onSuccess: { seen.append("\($0)") })
    _ = Completable.empty().andThen(Single.just("then")).subscribe(onSuccess: { seen.append($0) })

    #expect(seen == ["3", "then"])
  }

  @Test func `asSingle fails without elements`() {
    var failure: (any Error)?

    _ = Observable<Int>.empty().asSingle().subscribe(onFailure: { failure = $0 })

    #expect("\(failure.map { "\($0)" } ?? "")" == "\(RxError.noElements)")
  }

  @Test func `a failing source becomes a driver with a last element`() {
    let subject = PublishSubject<Int>()
    var seen: [Int] = []
    let subscription = subject.asDriver(onErrorJustReturn: -1).drive(onNext: { seen.append($0) })

    subject.onNext(1)
    subject.onError(Failure())
    subscription.dispose()

    #expect(seen == [1, -1])
  }

  @Test func `a control property reads nil as an empty text`() {
    let values = BehaviorSubject<String?>(value: nil)
    var written: [String?] = []
    let property = ControlProperty<String?>(
      values: values, valueSink: AnyObserver { if case .next(let value) = $0 { written.append(value) } })
    var seen: [String] = []
    let bag = DisposeBag()
    property.orEmpty.asSignal().emit(onNext: { seen.append($0) }).disposed(by: bag)

    values.onNext("a")
    Observable.just("b").bind(to: property).disposed(by: bag)

    #expect(seen == ["", "a"])
    #expect(written == ["b"])
  }

  @Test func `a key path names a binder`() {
    final class Label: ReactiveCompatible { var title = "" }
    let label = Label()
    let relay = BehaviorRelay(value: "1")
    let bag = DisposeBag()

    relay.asDriver().drive(label.rx.title).disposed(by: bag)
    relay.accept("2")

    #expect(label.title == "2")
  }

  @Test func `async code reads a single and writes one`() async throws {
    let element = try await Single<Int>.create(work: { 41 }).map { $0 + 1 }.value

    #expect(element == 42)
  }

  @Test func `values end with the sequence`() async {
    var seen: [Int] = []

    for await element in Observable.of(1, 2, 3).asInfallible(onErrorJustReturn: 0).values {
      seen.append(element)
    }

    #expect(seen == [1, 2, 3])
  }

  @Test func `work on queues comes back in order`() async throws {
    let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "test")

    let elements = try await Observable.from(Array(1...100))
      .observe(on: queue).map { $0 * 2 }
      .observe(on: ConcurrentDispatchQueueScheduler(qos: .default))
      .toArray().value

    #expect(elements == (1...100).map { $0 * 2 })
  }

  @Test func `a stream cannot be decoded from data, and the error says why`() {
    struct Inputs: Decodable {
      let tap: Signal<Void>
    }

    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Inputs.self, from: Data(#"{"tap":1}"#.utf8))
    }

    #expect("\(error.map { "\($0)" } ?? "")".contains("live stream"))
  }
}
