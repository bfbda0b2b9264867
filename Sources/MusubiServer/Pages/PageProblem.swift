// SPDX-License-Identifier: Apache-2.0

/// Why a page cannot be put together from its layout and its fragments.
package struct PageProblem: Error, Equatable {
  /// The file and the line to blame.
  package let place: PagePlace
  /// One sentence.
  package let message: String
}
