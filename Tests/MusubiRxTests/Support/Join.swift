// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import Testing

/// The operators that join many sources, in all their arities, as one table entry each.
struct Join: Sendable {
  typealias Combiner = @Sendable ([Int]) throws -> [Int]
  private let build: @Sendable ([Observable<Int>], @escaping Combiner) -> Observable<String>

  /// A case for some sources, whose scripts a closure writes.
  func row(
    _ name: String, _ count: Int, gives events: String, ends: Int? = nil, subscribed: String? = nil,
    disposed: Int = 1000, throwing: Bool = false, location: SourceLocation = #_sourceLocation,
    script: (Int) -> String
  ) -> Row {
    let build = build
    let all = ends.map { end in Array(repeating: "200-\(end)", count: count).joined(separator: "; ") }
    return Row(
      "\(name) of \(count)", more: (0..<count).map(script), gives: events, subscribed: subscribed ?? all,
      disposed: disposed, location: location
    ) { lab in
      build(lab.sources.map { $0.asObservable() }) { elements in
        if throwing { throw TestError.a }
        return elements
      }
    }
  }

  static func text(_ elements: [Int]) -> String {
    "[" + elements.map(String.init).joined(separator: ",") + "]"
  }

  /// Every place of a source in every arity.
  static var positions: [(Int, Int)] { (2...8).flatMap { count in (0..<count).map { (count, $0) } } }
}

extension Join {
  static let combineLatestCollection = Join { sources, combine in
    Observable<[Int]>.combineLatest(sources) { try combine($0) }.map { text($0) }
  }

  static let zipCollection = Join { sources, combine in
    Observable<[Int]>.zip(sources) { try combine($0) }.map { text($0) }
  }

  static let combineLatest = Join { sources, combine in
    let s = sources
    let joined: Observable<[Int]>
    switch s.count {
    case 2:
      joined = Observable<[Int]>.combineLatest(s[0], s[1]) {
        try combine([$0, $1])
      }
    case 3:
      joined = Observable<[Int]>.combineLatest(s[0], s[1], s[2]) {
        try combine([$0, $1, $2])
      }
    case 4:
      joined = Observable<[Int]>.combineLatest(s[0], s[1], s[2], s[3]) {
        try combine([$0, $1, $2, $3])
      }
    case 5:
      joined = Observable<[Int]>.combineLatest(s[0], s[1], s[2], s[3], s[4]) {
        try combine([$0, $1, $2, $3, $4])
      }
    case 6:
      joined = Observable<[Int]>.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5]) {
        try combine([$0, $1, $2, $3, $4, $5])
      }
    case 7:
      joined = Observable<[Int]>.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6]) {
        try combine([$0, $1, $2, $3, $4, $5, $6])
      }
    case 8:
      joined = Observable<[Int]>.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]) {
        try combine([$0, $1, $2, $3, $4, $5, $6, $7])
      }
    default: joined = .never()
    }
    return joined.map { text($0) }
  }

  static let combineLatestTuple = Join { sources, _ in
    let s = sources
    switch s.count {
    case 2: return Observable.combineLatest(s[0], s[1]).map { "\($0)" }
    case 3: return Observable.combineLatest(s[0], s[1], s[2]).map { "\($0)" }
    case 4: return Observable.combineLatest(s[0], s[1], s[2], s[3]).map { "\($0)" }
    case 5: return Observable.combineLatest(s[0], s[1], s[2], s[3], s[4]).map { "\($0)" }
    case 6: return Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5]).map { "\($0)" }
    case 7: return Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6]).map { "\($0)" }
    case 8: return Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]).map { "\($0)" }
    default: return .never()
    }
  }

  static let zip = Join { sources, combine in
    let s = sources
    let joined: Observable<[Int]>
    switch s.count {
    case 2:
      joined = Observable<[Int]>.zip(s[0], s[1]) {
        try combine([$0, $1])
      }
    case 3:
      joined = Observable<[Int]>.zip(s[0], s[1], s[2]) {
        try combine([$0, $1, $2])
      }
    case 4:
      joined = Observable<[Int]>.zip(s[0], s[1], s[2], s[3]) {
        try combine([$0, $1, $2, $3])
      }
    case 5:
      joined = Observable<[Int]>.zip(s[0], s[1], s[2], s[3], s[4]) {
        try combine([$0, $1, $2, $3, $4])
      }
    case 6:
      joined = Observable<[Int]>.zip(s[0], s[1], s[2], s[3], s[4], s[5]) {
        try combine([$0, $1, $2, $3, $4, $5])
      }
    case 7:
      joined = Observable<[Int]>.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6]) {
        try combine([$0, $1, $2, $3, $4, $5, $6])
      }
    case 8:
      joined = Observable<[Int]>.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]) {
        try combine([$0, $1, $2, $3, $4, $5, $6, $7])
      }
    default: joined = .never()
    }
    return joined.map { text($0) }
  }

  static let zipTuple = Join { sources, _ in
    let s = sources
    switch s.count {
    case 2: return Observable.zip(s[0], s[1]).map { "\($0)" }
    case 3: return Observable.zip(s[0], s[1], s[2]).map { "\($0)" }
    case 4: return Observable.zip(s[0], s[1], s[2], s[3]).map { "\($0)" }
    case 5: return Observable.zip(s[0], s[1], s[2], s[3], s[4]).map { "\($0)" }
    case 6: return Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5]).map { "\($0)" }
    case 7: return Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6]).map { "\($0)" }
    case 8: return Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]).map { "\($0)" }
    default: return .never()
    }
  }
}
