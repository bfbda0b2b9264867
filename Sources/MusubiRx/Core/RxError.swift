// SPDX-License-Identifier: Apache-2.0

/// What operators themselves fail with.
///
/// `@unchecked Sendable`: an error must be, and RxSwift's names the disposed object, which need not be; it is there to
/// be compared and described, not to be used on another thread.
public enum RxError: Swift.Error, @unchecked Sendable {
  /// Something happened that no operator explains.
  case unknown
  /// An object was used after its disposal.
  case disposed(object: any AnyObject)
  /// A count overflowed.
  case overflow
  /// An index lies beyond the sequence.
  case argumentOutOfRange
  /// A sequence with an expected element ended without one.
  case noElements
  /// A sequence with a single expected element had more.
  case moreThanOneElement
  /// Nothing came in time.
  case timeout
}

extension RxError: CustomDebugStringConvertible {
  /// What went wrong, as a sentence.
  public var debugDescription: String {
    switch self {
    case .unknown: "Unknown error occurred."
    case .disposed(let object): "Object `\(object)` was already disposed."
    case .overflow: "Arithmetic overflow occurred."
    case .argumentOutOfRange: "Argument out of range."
    case .noElements: "Sequence doesn't contain any elements."
    case .moreThanOneElement: "Sequence contains more than one element."
    case .timeout: "Sequence timeout."
    }
  }
}
