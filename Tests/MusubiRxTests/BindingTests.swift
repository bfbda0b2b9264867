// SPDX-License-Identifier: Apache-2.0

import Foundation
import MusubiRx
import Testing

extension ReactiveCore {
  @Suite struct `Binding` {
    final class Target: ReactiveCompatible {
      var title = ""
      var subtitle: String?
    }

    @Test func `a binder sets, and holds its target weakly`() {
      var target: Target? = Target()
      weak let watched = target
      let subject = PublishSubject<String>()
      let subscription = target.map { subject.bind(to: Binder($0) { target, value in target.title = value }) }
      subject.onNext("a")
      #expect(target?.title == "a")
      target = nil
      #expect(watched == nil)
      subject.onNext("b")
      subscription?.dispose()
    }

    @Test func `properties are binders through rx`() {
      let target = Target()
      Observable.just("a").bind(to: target.rx.title).dispose()
      Observable.just("b").bind(to: target.rx.subtitle).dispose()
      #expect(target.title == "a")
      #expect(target.subtitle == "b")
      Driver.just("c").drive(target.rx[\.title]).dispose()
      #expect(target.title == "c")
    }

    @Test func `one sequence binds to several observers`() {
      let first = BehaviorSubject(value: 0)
      let second = BehaviorSubject(value: 0)
      Observable.just(4).bind(to: first, second).dispose()
      #expect(immediate(first) == "|")
      #expect(immediate(second) == "|")
    }

    @Test func `bind with closures and objects`() {
      let log = Log()
      let subject = PublishSubject<Int>()
      let all = [
        subject.bind(onNext: { log.note("n\($0)") }), subject.bind(with: log) { $0.note("w\($1)") },
        subject.bind { log.note("b\($0)") },
      ]
      subject.onNext(1)
      #expect(log.text == "n1 w1 b1")
      for subscription in all { subscription.dispose() }
    }

    @Test func `bind with functions`() {
      func collect(_ source: Observable<Int>) -> String { immediate(source) }
      func curried(_ source: Observable<Int>) -> (String) -> String { { immediate(source) + $0 } }
      #expect(Observable.just(1).bind(to: collect) == "1 |")
      #expect(Observable.just(1).bind(to: curried, curriedArgument: "!") == "1 |!")
    }

    @Test func `a control property is both sides`() {
      let values = BehaviorSubject<String?>(value: nil)
      let written = Log()
      let sink = AnyObserver<String?> { written.note(Script.text($0)) }
      let property = ControlProperty(values: values, valueSink: sink)
      #expect(immediate(property) == "nil")
      #expect(immediate(property.orEmpty.map { "<\($0)>" }) == "<>")
      property.onNext("x")
      property.orEmpty.onNext("y")
      #expect(written.text == "Optional(\"x\") Optional(\"y\")")
      values.onCompleted()
    }

    @Test func `changed leaves the first value out`() {
      let values = BehaviorSubject(value: 1)
      let property = ControlProperty(values: values, valueSink: AnyObserver<Int> { _ in })
      let log = Log()
      let subscription = property.changed.subscribe(log.observer())
      values.onNext(2)
      #expect(log.text == "2")
      subscription.dispose()
    }

    @Test func `changed has the first value where that is no present one`() {
      let values = PublishSubject<String?>()
      let sink = AnyObserver<String?> { _ in }
      let property = ControlProperty(values: values, changes: values, valueSink: sink)
      let log = Log()
      let subscriptions = [
        property.changed.subscribe(log.observer("a")), property.orEmpty.changed.subscribe(log.observer("b")),
      ]
      values.onNext("x")
      #expect(log.text == "aOptional(\"x\") bx")
      for subscription in subscriptions { subscription.dispose() }
    }

    @Test func `streams refuse ordinary coders, with a sentence`() throws {
      struct Inputs: Decodable { let tap: Signal<Int> }
      struct Outputs: Encodable { let title: Driver<String> }
      let data = Data("{\"tap\": 1}".utf8)
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(Inputs.self, from: data) }
      #expect(throws: EncodingError.self) { try JSONEncoder().encode(Outputs(title: .just("a"))) }
    }
  }
}
