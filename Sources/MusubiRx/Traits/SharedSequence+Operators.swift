// SPDX-License-Identifier: Apache-2.0

extension SharedSequenceConvertibleType {
  /// Transforms each element.
  ///
  /// - Parameter selector: Makes the new element.
  /// - Returns: The transformed sequence.
  public func map<Result>(_ selector: @escaping (Element) -> Result) -> SharedSequence<
    SharingStrategy, Result
  > {
    SharedSequence<SharingStrategy, Result>(asObservable().map(selector))
  }

  /// Transforms each element and drops those that become nil.
  ///
  /// - Parameter selector: Makes the new element.
  /// - Returns: The transformed elements that are not nil.
  public func compactMap<Result>(
    _ selector: @escaping (Element) -> Result?
  ) -> SharedSequence<SharingStrategy, Result> {
    SharedSequence<SharingStrategy, Result>(asObservable().compactMap(selector))
  }

  /// Lets through the elements that satisfy a predicate.
  ///
  /// - Parameter predicate: Whether an element passes.
  /// - Returns: The elements that pass.
  public func filter(_ predicate: @escaping (Element) -> Bool) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence<SharingStrategy, Element>(asObservable().filter(predicate))
  }

  /// Makes a sequence for each element, and follows the newest only.
  ///
  /// - Parameter selector: Makes the sequence.
  /// - Returns: The elements of the newest sequence.
  public func flatMapLatest<Strategy, Result>(
    _ selector: @escaping (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence<Strategy, Result>(asObservable().flatMapLatest(selector))
  }

  /// Makes a sequence for an element, and ignores further elements until it has ended.
  ///
  /// - Parameter selector: Makes the sequence.
  /// - Returns: The elements of the sequences.
  public func flatMapFirst<Strategy, Result>(
    _ selector: @escaping (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence<Strategy, Result>(asObservable().flatMapFirst(selector))
  }

  /// Makes a sequence for each element, and mixes what all of them deliver.
  ///
  /// - Parameter selector: Makes the sequence.
  /// - Returns: The elements of all sequences.
  public func flatMap<Strategy, Result>(
    _ selector: @escaping (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence<Strategy, Result>(asObservable().flatMap(selector))
  }

  /// Calls closures beside the sequence, before and after each event passes.
  ///
  /// - Parameters:
  ///   - onNext: Before an element passes.
  ///   - afterNext: After an element has passed.
  ///   - onCompleted: Before the end passes.
  ///   - afterCompleted: After the end has passed.
  ///   - onSubscribe: Before the source is subscribed to.
  ///   - onSubscribed: After the source was subscribed to.
  ///   - onDispose: After the subscription ended.
  /// - Returns: The same sequence.
  public func `do`(
    onNext: ((Element) -> Void)? = nil, afterNext: ((Element) -> Void)? = nil,
    onCompleted: (() -> Void)? = nil, afterCompleted: (() -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil, onDispose: (() -> Void)? = nil
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence<SharingStrategy, Element>(
      asObservable().do(
        onNext: onNext, afterNext: afterNext, onCompleted: onCompleted, afterCompleted: afterCompleted,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }

  /// Prints every event.
  ///
  /// - Parameters:
  ///   - identifier: Names the sequence in the lines; the place in the source if left out.
  ///   - trimOutput: Whether long elements are shortened.
  ///   - file: The file of the call.
  ///   - line: The line of the call.
  ///   - function: The function of the call.
  /// - Returns: The same sequence.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence<SharingStrategy, Element>(
      asObservable().debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }

  /// Drops elements whose key equals that of the one before.
  ///
  /// - Parameter keySelector: Makes the key.
  /// - Returns: The elements that differ.
  public func distinctUntilChanged<Key: Equatable>(
    _ keySelector: @escaping (Element) -> Key
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence<SharingStrategy, Element>(asObservable().distinctUntilChanged(keySelector))
  }

  /// Drops elements that count as equal to the one before.
  ///
  /// - Parameter comparer: Whether two elements count as equal.
  /// - Returns: The elements that differ.
  public func distinctUntilChanged(
    _ comparer: @escaping (Element, Element) -> Bool
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence<SharingStrategy, Element>(asObservable().distinctUntilChanged(comparer))
  }

  /// Drops elements whose key counts as equal to that of the one before.
  ///
  /// - Parameters:
  ///   - keySelector: Makes the key.
  ///   - comparer: Whether two keys count as equal.
  /// - Returns: The elements that differ.
  public func distinctUntilChanged<Key>(
    _ keySelector: @escaping (Element) -> Key, comparer: @escaping (Key, Key) -> Bool
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence<SharingStrategy, Element>(
      asObservable().distinctUntilChanged(keySelector, comparer: comparer))
  }

  /// Puts an element in front of the sequence.
  ///
  /// - Parameter element: What every observer gets first.
  /// - Returns: The element, then the sequence.
  public func startWith(_ element: Element) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence<SharingStrategy, Element>(asObservable().startWith(element))
  }

  /// Folds the elements, and delivers each intermediate result.
  ///
  /// - Parameters:
  ///   - seed: What the folding starts with.
  ///   - accumulator: Makes the next result.
  /// - Returns: The results.
  public func scan<Result>(
    _ seed: Result, accumulator: @escaping (Result, Element) -> Result
  ) -> SharedSequence<SharingStrategy, Result> {
    SharedSequence<SharingStrategy, Result>(asObservable().scan(seed, accumulator: accumulator))
  }

  /// Drops the first elements.
  ///
  /// - Parameter count: How many.
  /// - Returns: The rest.
  public func skip(_ count: Int) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence<SharingStrategy, Element>(asObservable().skip(count))
  }

  /// Combines each element with the latest one of a second sequence.
  ///
  /// - Parameters:
  ///   - second: Its latest element is taken.
  ///   - resultSelector: Makes the result.
  /// - Returns: A result for each element of this sequence.
  public func withLatestFrom<Second: SharedSequenceConvertibleType, Result>(
    _ second: Second, resultSelector: @escaping (Element, Second.Element) -> Result
  ) -> SharedSequence<SharingStrategy, Result> where Second.SharingStrategy == SharingStrategy {
    SharedSequence<SharingStrategy, Result>(
      asObservable().withLatestFrom(second.asSharedSequence(), resultSelector: resultSelector))
  }

  /// Replaces each element by the latest one of a second sequence.
  ///
  /// - Parameter second: Its latest element is taken.
  /// - Returns: The latest element of the second sequence for each element of this one.
  public func withLatestFrom<Second: SharedSequenceConvertibleType>(
    _ second: Second
  ) -> SharedSequence<SharingStrategy, Second.Element> {
    SharedSequence<SharingStrategy, Second.Element>(
      asObservable().withLatestFrom(second.asSharedSequence()))
  }

  /// Hands an object along with each element, as long as it lives.
  ///
  /// - Parameter object: Held weakly; the sequence ends when it has gone.
  /// - Returns: Pairs of the object and the element.
  public func withUnretained<Object: AnyObject>(
    _ object: Object
  ) -> SharedSequence<SharingStrategy, (Object, Element)> {
    SharedSequence<SharingStrategy, (Object, Element)>(asObservable().withUnretained(object))
  }

  /// Combines an object with each element, as long as it lives.
  ///
  /// - Parameters:
  ///   - object: Held weakly; the sequence ends when it has gone.
  ///   - resultSelector: Makes the result.
  /// - Returns: The results.
  public func withUnretained<Object: AnyObject, Result>(
    _ object: Object, resultSelector: @escaping (Object, Element) -> Result
  ) -> SharedSequence<SharingStrategy, Result> {
    SharedSequence<SharingStrategy, Result>(
      asObservable().withUnretained(object, resultSelector: resultSelector))
  }
}

extension SharedSequenceConvertibleType where Element: Equatable {
  /// Drops elements that equal the one before.
  ///
  /// - Returns: The elements that differ.
  public func distinctUntilChanged() -> SharedSequence<SharingStrategy, Element> {
    SharedSequence<SharingStrategy, Element>(asObservable().distinctUntilChanged())
  }
}

extension SharedSequenceConvertibleType
where Element: SharedSequenceConvertibleType {
  /// Follows the newest of the sequences that arrive.
  ///
  /// - Returns: The elements of the newest sequence.
  public func switchLatest() -> SharedSequence<Element.SharingStrategy, Element.Element> {
    SharedSequence<Element.SharingStrategy, Element.Element>(asObservable().switchLatest())
  }

  /// Mixes what the arriving sequences deliver.
  ///
  /// - Returns: The elements of all sequences.
  public func merge() -> SharedSequence<Element.SharingStrategy, Element.Element> {
    SharedSequence<Element.SharingStrategy, Element.Element>(asObservable().merge())
  }

  /// Mixes what the arriving sequences deliver, at most some of them at a time.
  ///
  /// - Parameter maxConcurrent: How many sequences are subscribed to at once.
  /// - Returns: The elements of all sequences.
  public func merge(
    maxConcurrent: Int
  ) -> SharedSequence<Element.SharingStrategy, Element.Element> {
    SharedSequence<Element.SharingStrategy, Element.Element>(
      asObservable().merge(maxConcurrent: maxConcurrent))
  }
}
