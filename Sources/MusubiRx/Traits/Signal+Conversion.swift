// SPDX-License-Identifier: Apache-2.0

extension ObservableConvertibleType {
  /// This sequence as a signal; at an error, one element is delivered and the sequence ends.
  public func asSignal(onErrorJustReturn: Element) -> Signal<Element> {
    asSharedSequence(onErrorJustReturn: onErrorJustReturn)
  }

  /// This sequence as a signal; at an error, another signal goes on.
  public func asSignal(onErrorSignalWith: Signal<Element>) -> Signal<Element> {
    asSignal { _ in onErrorSignalWith }
  }

  /// This sequence as a signal; at an error, another signal goes on.
  public func asSignal(
    onErrorRecover: @escaping (_ error: any Swift.Error) -> Signal<Element>
  ) -> Signal<Element> { asSharedSequence(onErrorRecover: onErrorRecover) }
}
