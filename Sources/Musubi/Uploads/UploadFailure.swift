// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Why the file of an upload cannot be written, read or moved, as one sentence.
public struct UploadFailure: Error, Equatable, CustomStringConvertible {
  /// One sentence.
  public let description: String
  /// Whether the disk has no room.
  let isFull: Bool
  /// Whether the process has too little for now, and nothing is known about the file.
  let isPassing: Bool

  init(_ problem: String, _ number: Int32? = nil) {
    description = "A file \(problem)" + (number.map { ": " + String(cString: strerror($0)) } ?? "") + "."
    isFull = number == ENOSPC || number == EDQUOT
    isPassing = [EMFILE, ENFILE, ENOMEM].contains(number)
  }
}
