// SPDX-License-Identifier: Apache-2.0
import GalleryAPI

/// Why a search has found nothing, as far as a visitor can do something about it.
package enum SearchProblem: Equatable, Sendable {
  /// Nobody answers, or not in time.
  case unreachable
  /// The answer is an error, or cannot be read.
  case badAnswer
  /// Anything else.
  case failed

  /// What an error of a model comes down to.
  package init(_ error: any Error) {
    self =
      switch (error as? WikipediaError)?.kind {
      case .transport: .unreachable
      case .status, .invalidAnswer, .refused: .badAnswer
      case .cancelled, nil: .failed
      }
  }
}
