// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Why the admin port cannot be opened, as one sentence for the operator.
public struct AdminError: Error, Equatable, CustomStringConvertible {
  /// One sentence.
  public let description: String
}

/// The token of the admin port, in a file that nobody but its owner may read.
enum AdminToken {
  /// The shortest token: who guesses 16 times a second needs a year for 2 to the 29.
  private static let minBytes = 16

  /// Reads the token of a configuration.
  ///
  /// - Returns: The token; nil if there is none and none is needed.
  /// - Throws: `AdminError` if it is needed and missing, or if its file is not as it has to be.
  static func read(for address: AdminAddress, file: String?) throws(AdminError) -> String? {
    guard let file else {
      guard !address.isLoopback else { return nil }
      throw AdminError(
        description:
          "--admin on \(address.host) can be reached from other machines: name a file with a token by "
          + "--admin-token, or listen on 127.0.0.1.")
    }
    let text: String
    do throws(PrivateFile.Problem) {
      text = try PrivateFile.read(file).trimmingCharacters(in: .whitespacesAndNewlines)
    } catch {
      throw problem(file, error.reason)
    }
    guard text.utf8.count >= minBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw problem(
        file,
        "has no token: one line of at least \(minBytes) characters of ASCII without spaces, as from "
          + "openssl rand -hex 32")
    }
    return text
  }

  private static func problem(_ file: String, _ reason: String) -> AdminError {
    AdminError(description: "The file \"\(file.prefix(80))\" of --admin-token \(reason).")
  }
}
