// SPDX-License-Identifier: Apache-2.0

extension ObservableConvertibleType {
  /// This sequence as a driver; at an error, one element is delivered and the sequence ends.
  public func asDriver(onErrorJustReturn: Element) -> Driver<Element> {
    asSharedSequence(onErrorJustReturn: onErrorJustReturn)
  }

  /// This sequence as a driver; at an error, another driver goes on.
  public func asDriver(onErrorDriveWith: Driver<Element>) -> Driver<Element> {
    asDriver { _ in onErrorDriveWith }
  }

  /// This sequence as a driver; at an error, another driver goes on.
  public func asDriver(
    onErrorRecover: @escaping (_ error: any Swift.Error) -> Driver<Element>
  ) -> Driver<Element> { asSharedSequence(onErrorRecover: onErrorRecover) }
}
