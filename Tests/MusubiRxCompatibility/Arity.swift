// SPDX-License-Identifier: Apache-2.0
import MusubiRx

/// Closures without types, as RxSwift's users write them: they must compile in reasonable time.
func sumsOfManySources(_ a: Observable<Int>) -> [Observable<Int>] {
  [
    Observable.combineLatest(a, a, a, a, a) { $0 + $1 + $2 + $3 + $4 },
    Observable.combineLatest(a, a, a, a, a, a) { $0 + $1 + $2 + $3 + $4 + $5 },
    Observable.combineLatest(a, a, a, a, a, a, a) { $0 + $1 + $2 + $3 + $4 + $5 + $6 },
    Observable.combineLatest(a, a, a, a, a, a, a, a) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 },
    Observable.zip(a, a) { $0 + $1 },
    Observable.zip(a, a, a, a) { $0 + $1 + $2 + $3 },
    Observable.zip(a, a, a, a, a, a, a, a) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 },
  ]
}

func tuplesOfManySources(_ a: Observable<Int>) -> Observable<(Int, Int, Int, Int, Int)> {
  Observable.zip(a, a, a, a, a)
}
