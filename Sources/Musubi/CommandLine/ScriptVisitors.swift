// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding

/// The visitors of a script's pages: `open a /quiz as ann (host)`.
///
/// The command `script` starts its own server with a secret in the environment, and its pages prove by the secret that they
/// are its own. A server that was started in any other way has no secret and takes no such visitor.
struct ScriptVisitors: Sendable {
  /// Where the secret comes from.
  static let variable = "MUSUBI_SCRIPT_SECRET"
  private let secret: String

  /// The visitors of the script that has started this process; nil if none has.
  ///
  /// - Parameters:
  ///   - environment: The process's environment.
  ///   - host: The address to listen on.
  /// - Throws: `CommandLineError` if others than this machine could reach the server, or the secret is none.
  init?(in environment: [String: String], host: String) throws(CommandLineError) {
    guard let secret = environment[Self.variable] else { return nil }
    guard secret.utf8.count >= 32, ["127.0.0.1", "::1", "localhost"].contains(host) else {
      throw CommandLineError(
        "\(Self.variable) is for the servers of test scripts; they listen on 127.0.0.1, and it has 32 characters or more."
      )
    }
    self.secret = secret
  }

  /// Who a page's visitor is, if its script says so.
  ///
  /// - Parameter authorization: The header `Authorization`, with the secret, the id and the roles.
  /// - Returns: The visitor; nil if the application is to say.
  func visitor(_ authorization: String?) -> Visitor? {
    let words = authorization?.split(separator: " ", omittingEmptySubsequences: false) ?? []
    guard words.count == 3, words[0] == "Musubi-Script", words[1] == secret else { return nil }
    let names = words[2].split(separator: ",").map { String($0).removingPercentEncoding ?? "" }
    guard let id = names.first, !id.isEmpty else { return nil }
    return Visitor(id: id, displayName: id, roles: Set(names.dropFirst().map { Role($0) }))
  }
}
