// SPDX-License-Identifier: Apache-2.0

import Dispatch
import MusubiRx
import Testing

// When a single, a maybe or a completable subscribes to its sources, and when it lets them go.

@Rows var timedSingleRows: [Row] {
  Row("success", "cold 10:1 10|", gives: "210:1 210|", subscribed: "200-210") { $0.a.asSingle() }
  Row("failure", "cold 10#b", gives: "210#b", subscribed: "200-210") { $0.a.asSingle() }
  Row("a disposal before the element", "cold 50:1 50|", gives: "", subscribed: "200-220", disposed: 220) {
    $0.a.asSingle()
  }
  Row("flatMap waits", "cold 10:1 10|", "cold 20:2 20|", gives: "230:2 230|", subscribed: "200-210; 210-230")
  {
    lab in lab.a.asSingle().flatMap { _ in lab.b.asSingle() }
  }
  Row("flatMap after an error", "cold 10#", "cold 20:2 20|", gives: "210#", subscribed: "200-210; ") { lab in
    lab.a.asSingle().flatMap { _ in lab.b.asSingle() }
  }
  Row(
    "flatMap: a disposal reaches the second", "cold 10:1 10|", "cold 90:2 90|", gives: "",
    subscribed: "200-210; 210-250", disposed: 250
  ) { lab in lab.a.asSingle().flatMap { _ in lab.b.asSingle() } }
  Row("zip waits", "cold 10:1 10|", "cold 30:2 30|", gives: "230:3 230|", subscribed: "200-210; 200-230") {
    Single.zip($0.a.asSingle(), $0.b.asSingle()) { $0 + $1 }
  }
  Row(
    "zip: an error lets the other go", "cold 10#b", "cold 30:2 30|", gives: "210#b",
    subscribed: "200-210; 200-210"
  ) { Single.zip($0.a.asSingle(), $0.b.asSingle()) { $0 + $1 } }
  Row("zip of a collection", "cold 10:1 10|", "cold 30:2 30|", gives: "230:[1,2] 230|") {
    Single.zip([$0.a.asSingle(), $0.b.asSingle()])
  }
  Row("zip whose selector throws", "cold 10:1 10|", "cold 20:2 20|", gives: "220#") {
    Single.zip($0.a.asSingle(), $0.b.asSingle()) { (_: Int, _: Int) -> Int in throw TestError.a }
  }
  Row("catch", "cold 10#", "cold 20:2 20|", gives: "230:2 230|", subscribed: "200-210; 210-230") { lab in
    lab.a.asSingle().catch { _ in lab.b.asSingle() }
  }
  Row("catch of a success", "cold 10:1 10|", "cold 20:2 20|", gives: "210:1 210|", subscribed: "200-210; ") {
    lab in lab.a.asSingle().catch { _ in lab.b.asSingle() }
  }
  Row("catchAndReturn of a success", "cold 10:1 10|", gives: "210:1 210|") {
    $0.a.asSingle().catchAndReturn(9)
  }
  Row("retry a number of times", "cold 10#", gives: "230#", subscribed: "200-210 210-220 220-230") {
    $0.a.asSingle().retry(3)
  }
  Row("retry of a success", "cold 10:1 10|", gives: "210:1 210|", subscribed: "200-210") {
    $0.a.asSingle().retry()
  }
  Row("timeout in time", "cold 10:1 10|", gives: "210:1 210|", subscribed: "200-210") {
    $0.a.asSingle().timeout(.seconds(20), scheduler: $0.scheduler)
  }
  Row("timeout passes an error", "cold 10#b", gives: "210#b", subscribed: "200-210") {
    $0.a.asSingle().timeout(.seconds(20), scheduler: $0.scheduler)
  }
  Row("timeout lets the source go", "cold 90:1 90|", gives: "220#timeout", subscribed: "200-220") {
    $0.a.asSingle().timeout(.seconds(20), scheduler: $0.scheduler)
  }
  Row(
    "amb follows the first failure", "cold 50:1 50|", "cold 20#b", gives: "220#b",
    subscribed: "200-220; 200-220"
  ) { $0.a.asSingle().amb($0.b.asSingle()) }
  Row("observe(on:) of an error", gives: "201#") { Single<Int>.error(TestError.a).observe(on: $0.scheduler) }
  Row("subscribe(on:) disposes there", "cold 90:1 90|", gives: "", subscribed: "201-251", disposed: 250) {
    $0.a.asSingle().subscribe(on: $0.scheduler)
  }
}

@Rows var timedMaybeRows: [Row] {
  Row("success", "cold 10:1 10|", gives: "210:1 210|", subscribed: "200-210") { $0.a.asMaybe() }
  Row("an end", "cold 10|", gives: "210|", subscribed: "200-210") { $0.a.asMaybe() }
  Row("filter of an error", gives: "200#") { _ in Maybe<Int>.error(TestError.a).filter { _ in true } }
  Row("flatMap waits", "cold 10:1 10|", "cold 20:2 20|", gives: "230:2 230|", subscribed: "200-210; 210-230")
  {
    lab in lab.a.asMaybe().flatMap { _ in lab.b.asMaybe() }
  }
  Row("flatMap of empty", "cold 10|", "cold 20:2 20|", gives: "210|", subscribed: "200-210; ") { lab in
    lab.a.asMaybe().flatMap { _ in lab.b.asMaybe() }
  }
  Row("ifEmpty passes an error", "cold 10#b", gives: "210#b") { $0.a.asMaybe().ifEmpty(default: 9) }
  Row(
    "ifEmpty switches at the end", "cold 10|", "cold 20:2 20|", gives: "230:2 230|",
    subscribed: "200-210; 210-230"
  ) { $0.a.asMaybe().ifEmpty(switchTo: $0.b.asMaybe()) }
  Row("zip with an empty one", "cold 10|", "cold 30:2 30|", gives: "230|", subscribed: "200-210; 200-230") {
    Maybe.zip($0.a.asMaybe(), $0.b.asMaybe()) { $0 + $1 }
  }
  Row("zip of two", "cold 10:1 10|", "cold 30:2 30|", gives: "230:3 230|") {
    Maybe.zip($0.a.asMaybe(), $0.b.asMaybe()) { $0 + $1 }
  }
  Row("amb follows the first end", "cold 50:1 50|", "cold 20|", gives: "220|") {
    $0.a.asMaybe().amb($0.b.asMaybe())
  }
  Row("retry", "cold 10#", gives: "220#", subscribed: "200-210 210-220") { $0.a.asMaybe().retry(2) }
  Row("observe(on:) of empty", gives: "201|") { Maybe<Int>.empty().observe(on: $0.scheduler) }
  Row("delaySubscription", "cold 10|", gives: "230|", subscribed: "220-230") {
    $0.a.asMaybe().delaySubscription(.seconds(20), scheduler: $0.scheduler)
  }
}

@Rows var timedCompletableRows: [Row] {
  Row("an end", "cold 10|", gives: "210|", subscribed: "200-210") { end($0.a) }
  Row("a disposal", "cold 90|", gives: "", subscribed: "200-250", disposed: 250) { end($0.a) }
  Row("observe(on:)", gives: "201|") { Completable.empty().observe(on: $0.scheduler) }
  Row("subscribe(on:)", "cold 10|", gives: "211|", subscribed: "201-211") {
    end($0.a).subscribe(on: $0.scheduler)
  }
  Row("catch", "cold 10#", "cold 20|", gives: "230|", subscribed: "200-210; 210-230") { lab in
    end(lab.a).catch { _ in end(lab.b) }
  }
  Row("delaySubscription", "cold 10|", gives: "230|", subscribed: "220-230") {
    end($0.a).delaySubscription(.seconds(20), scheduler: $0.scheduler)
  }
  Row("timeout in time", "cold 10|", gives: "210|") {
    end($0.a).timeout(.seconds(20), scheduler: $0.scheduler)
  }
  Row(
    "andThen of three", "cold 10|", "cold 20|", "cold 30|", gives: "260|",
    subscribed: "200-210; 210-230; 230-260"
  ) { end($0.a).andThen(end($0.b)).andThen(end($0.c)) }
  Row(
    "concat: a disposal reaches the second", "cold 10|", "cold 90|", gives: "",
    subscribed: "200-210; 210-250", disposed: 250
  ) { Completable.concat(end($0.a), end($0.b)) }
  Row(
    "merge: a disposal reaches all", "cold 90|", "cold 90|", gives: "", subscribed: "200-250; 200-250",
    disposed: 250
  ) {
    Completable.merge(end($0.a), end($0.b))
  }
}

private func end(_ source: Observable<Int>) -> Completable { source.ignoreElements().asCompletable() }
