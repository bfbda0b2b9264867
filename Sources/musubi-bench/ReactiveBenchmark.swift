// SPDX-License-Identifier: Apache-2.0

import Glibc
import MusubiRx

/// Measures the reactive core against closures written by hand, in one run and on one thread.
///
/// Times are only worth something as ratios of the same run; bytes are what the process grew by, over many items.
struct ReactiveBenchmark {
  private let rounds: Int
  /// By how much the counts are divided.
  private let divisor: Int
  private var rows: [[String]] = []

  private init(_ options: Options) {
    rounds = options.repeatCount
    divisor = options.isQuick ? 10 : 1
  }

  /// Measures, and prints the table.
  ///
  /// - Parameters:
  ///   - options: How often each figure is measured; the median is printed, with the spread.
  ///   - report: Where the table goes.
  /// - Throws: `BenchError` if the table cannot be written.
  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    var benchmark = ReactiveBenchmark(options)
    benchmark.measure()
    for row in benchmark.limits { report.budget(row.work, .atMost, row.budget, reached: row.reached) }
    try report.table(
      "The reactive core, CPU time of one core",
      header: ["<work", "by hand", "MusubiRx", "spread", "times by hand", "budget"], rows: benchmark.rows)
  }

  private var limits: [(work: String, budget: Double, reached: Double)] = []

  private mutating func measure() {
    let screens = screenBytes(count: 100_000)
    chain()
    for count in [1, 10, 1000] { relay(subscribers: count) }
    combineLatest()
    scan()
    withLatestFrom()
    flatMapLatest()
    driver()
    subscribeAndDispose()
    chainBytes(count: 1_000_000 / divisor)
    withExtendedLifetime(screens) {}
  }

  // MARK: - Time

  private mutating func chain() {
    let sum = Sum()
    let byHand = opaque { (element: Int) in sum.value &+= element }
    let filtered = opaque { (element: Int) in if element & 1 == 0 { byHand(element) } }
    let mapped = opaque { (element: Int) in filtered(element &+ 1) }
    let subject = PublishSubject<Int>()
    let subscription = subject.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.subscribe(onNext: { sum.value &+= $0 })
    report(
      "PublishSubject -> map -> filter -> subscribe, ns", budget: 30,
      byHand: nanoseconds(4_000_000) { mapped($0) },
      reactive: nanoseconds(4_000_000) { subject.onNext($0) })
    subscription.dispose()
  }

  private mutating func relay(subscribers: Int) {
    let sum = Sum()
    let byHand = HandRelay(0)
    let relay = BehaviorRelay(value: 0)
    let bag = DisposeBag()
    for _ in 0..<subscribers {
      byHand.observers.append { sum.value &+= $0 }
      relay.subscribe(onNext: { sum.value &+= $0 }).disposed(by: bag)
    }
    let budgets = [1: 32.0, 10: 90, 1000: 7000]
    let count = 4_000_000 / (subscribers + 1)
    report(
      "BehaviorRelay.accept, \(subscribers) subscribers, ns", budget: budgets[subscribers] ?? 0,
      byHand: nanoseconds(count) { byHand.accept($0) },
      reactive: nanoseconds(count) { relay.accept($0) })
  }

  private mutating func combineLatest() {
    let sum = Sum()
    let subjects = (0..<4).map { _ in PublishSubject<Int>() }
    let subscription = Observable.combineLatest(subjects[0], subjects[1], subjects[2], subjects[3]) {
      $0 &+ $1 &+ $2 &+ $3
    }.subscribe(onNext: { sum.value &+= $0 })
    for subject in subjects { subject.onNext(1) }
    let first = subjects[0]
    report(
      "combineLatest of 4, ns", budget: 80, byHand: nil,
      reactive: nanoseconds(2_000_000) { first.onNext($0) })
    subscription.dispose()
  }

  private mutating func scan() {
    let sum = Sum()
    let last = opaque { (element: Int) in sum.value = element }
    let total = Sum()
    let byHand = opaque { (element: Int) in
      total.value &+= element
      last(total.value)
    }
    let subject = PublishSubject<Int>()
    let subscription = subject.scan(0) { $0 &+ $1 }.subscribe(onNext: { sum.value = $0 })
    report(
      "scan, ns", budget: 30, byHand: nanoseconds(4_000_000) { byHand($0) },
      reactive: nanoseconds(4_000_000) { subject.onNext($0) })
    subscription.dispose()
  }

  private mutating func withLatestFrom() {
    let sum = Sum()
    let subject = PublishSubject<Int>()
    let relay = BehaviorRelay(value: 1)
    let subscription = subject.withLatestFrom(relay).subscribe(onNext: { sum.value &+= $0 })
    report(
      "withLatestFrom, ns", budget: 40, byHand: nil,
      reactive: nanoseconds(2_000_000) { subject.onNext($0) })
    subscription.dispose()
  }

  private mutating func flatMapLatest() {
    let sum = Sum()
    let subject = PublishSubject<Int>()
    let relay = BehaviorRelay(value: 1)
    let subscription = subject.flatMapLatest { _ in relay }.subscribe(onNext: { sum.value &+= $0 })
    report(
      "flatMapLatest to a relay, ns", budget: 200, byHand: nil,
      reactive: nanoseconds(1_000_000) { subject.onNext($0) })
    subscription.dispose()
  }

  private mutating func driver() {
    let sum = Sum()
    let relay = BehaviorRelay(value: 0)
    let subscription = relay.asDriver().map { $0 &+ 1 }.distinctUntilChanged().drive(onNext: {
      sum.value &+= $0
    })
    report(
      "Driver map.distinct.drive, ns", budget: 140, byHand: nil,
      reactive: nanoseconds(2_000_000) { relay.accept($0) })
    subscription.dispose()
  }

  private mutating func subscribeAndDispose() {
    let sum = Sum()
    let byHand = HandRelay(0)
    let relay = BehaviorRelay(value: 0)
    report(
      "relay.map subscribe + dispose, ns", budget: 250,
      byHand: nanoseconds(500_000) { index in
        let last = opaque { (element: Int) in sum.value &+= element }
        let offset = index
        byHand.observers.append(opaque { last($0 &+ offset) })
        byHand.observers.removeLast()
      },
      reactive: nanoseconds(500_000) { offset in
        relay.map { $0 &+ offset }.subscribe(onNext: { sum.value &+= $0 }).dispose()
      })
  }

  // MARK: - Memory

  private mutating func chainBytes(count: Int) {
    let sum = Sum()
    var kept: [any Disposable] = []
    kept.reserveCapacity(count)
    var relays: [BehaviorRelay<Int>] = []
    relays.reserveCapacity(count)
    let bytes = bytesPerItem(count) { index in
      let relay = BehaviorRelay(value: index)
      relays.append(relay)
      kept.append(
        relay.map { $0 &+ index }.distinctUntilChanged().subscribe(onNext: { sum.value &+= $0 }))
    }
    rows.append([
      "relay.map.distinct.subscribe, bytes each", "", readable(Double(bytes)), "", "", "700",
    ])
    for subscription in kept { subscription.dispose() }
  }

  private mutating func screenBytes(count: Int) -> [AnyObject] {
    let sum = Sum()
    var screens: [NumberLikeScreen] = []
    screens.reserveCapacity(count)
    let bytes = bytesPerItem(count) { _ in screens.append(NumberLikeScreen(sum)) }
    rows.append(["a number-like screen, bytes each", "", readable(Double(bytes)), "", "", "2,500"])
    return screens
  }

  private func bytesPerItem(_ count: Int, _ make: (Int) -> Void) -> Int {
    let before = residentBytes()
    for index in 0..<count { make(index) }
    return (residentBytes() - before) / count
  }

  /// The memory of the process that is in use now; 0 if the system does not tell.
  private func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let fields = text.split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
    return pages * Int(getpagesize())
  }

  // MARK: - Measuring

  private struct Figure {
    let median: Double
    let spread: ClosedRange<Double>
  }

  private func nanoseconds(_ whole: Int, _ body: (Int) -> Void) -> Figure {
    let count = whole / divisor
    for index in 0..<count / 10 { body(index) }
    let times = (0..<rounds).map { _ in
      let start = processorNanoseconds()
      for index in 0..<count { body(index) }
      return (processorNanoseconds() - start) / Double(count)
    }.sorted()
    return Figure(median: times[rounds / 2], spread: times[0]...times[rounds - 1])
  }

  /// The processor time of this process; unlike the wall clock, it does not count what other processes use.
  private func processorNanoseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  private mutating func report(_ work: String, budget: Double, byHand: Figure?, reactive: Figure) {
    limits.append((work, budget, reactive.median))
    rows.append([
      work, byHand.map { readable($0.median, decimals: 1) } ?? "", readable(reactive.median, decimals: 1),
      "\(readable(reactive.spread.lowerBound, decimals: 1))...\(readable(reactive.spread.upperBound, decimals: 1))",
      byHand.map { readable(reactive.median / $0.median, decimals: 1) } ?? "", readable(budget),
    ])
  }
}

private final class Sum {
  @exclusivity(unchecked) var value = 0
}

/// The same without a library: a value and closures that are told its changes.
private final class HandRelay {
  var value: Int
  var observers: [(Int) -> Void] = []

  init(_ value: Int) { self.value = value }

  @inline(never) func accept(_ new: Int) {
    value = new
    for observer in observers { observer(new) }
  }
}

/// A relay, a subject, a bag, two subscriptions and two drivers.
private final class NumberLikeScreen {
  private let number = BehaviorRelay(value: "0")
  private let taps = PublishSubject<Void>()
  private let label: Driver<String>
  private let field: Driver<String>
  private let bag = DisposeBag()

  init(_ sum: Sum) {
    label = number.asDriver()
    field = number.asDriver()
    taps.subscribe(onNext: { [weak self] in self?.number.accept("42") }).disposed(by: bag)
    number.subscribe(onNext: { sum.value &+= $0.utf8.count }).disposed(by: bag)
    label.drive(onNext: { sum.value &+= $0.utf8.count }).disposed(by: bag)
    field.drive(onNext: { sum.value &+= $0.utf8.count }).disposed(by: bag)
  }
}

/// Keeps the optimizer from seeing through a closure written by hand.
@inline(never) @_optimize(none)
private func opaque(_ closure: @escaping (Int) -> Void) -> (Int) -> Void { closure }
