// SPDX-License-Identifier: Apache-2.0

/// Why the server cannot start, as one sentence for the operator.
package struct ServerError: Error, Equatable, CustomStringConvertible {
  enum Kind: Equatable {
    case portTaken, noPermission, unknownAddress, missingFolder, missingPage, unreadableFile, badCertificate,
      brokenPage, system
  }

  let kind: Kind
  package let description: String
  /// What keeps pages from being put together, if that is why.
  package let pages: [PageProblem]

  private init(_ kind: Kind, _ description: String, pages: [PageProblem] = []) {
    self.kind = kind
    self.description = description
    self.pages = pages
  }

  static func portTaken(_ port: UInt16, host: String) -> Self {
    Self(
      .portTaken,
      "Port \(port) on \(host) is taken by another program; choose another with --port, or 0 for any.")
  }

  static func noPermission(port: UInt16) -> Self {
    Self(.noPermission, "This user may not listen on port \(port); choose one from 1024 on with --port.")
  }

  static func unknownAddress(_ host: String) -> Self {
    Self(
      .unknownAddress,
      "\(quoted(host)) is no address of this machine; name one with --host, such as 127.0.0.1.")
  }

  static func missingFolder(_ path: String) -> Self {
    Self(.missingFolder, "There is no folder \(quoted(path)) with pages; name it with --public.")
  }

  static func missingPage(_ file: String, route: String, folder: String) -> Self {
    let reason =
      PageComposer.isPart(file)
      ? "is a part of pages, because its name begins with _" : "the folder \(quoted(folder)) does not have"
    return Self(.missingPage, "The route \(quoted(route)) shows \(quoted(file)), which \(reason).")
  }

  static func brokenPages(_ problems: [PageProblem], folder: String) -> Self {
    let lines = problems.map { "\(folder)/\($0.place.file):\($0.place.line): \($0.message)" }
    return Self(.brokenPage, lines.joined(separator: "\n"), pages: problems)
  }

  static func unreadableFile(_ path: String, _ reason: String) -> Self {
    Self(.unreadableFile, "The file \(quoted(path)) cannot be read: \(reason).")
  }

  static func badCertificate(_ certificate: String, key: String, reason: String) -> Self {
    Self(
      .badCertificate,
      "The certificate \(quoted(certificate)) and the key \(quoted(key)) cannot be used: \(reason).")
  }

  /// Only one of the two options of TLS was given.
  package static let halfACertificate = Self(
    .badCertificate, "TLS takes both --tls-certificate and --tls-key; name the other one, too.")

  /// The same about a server whose address another option names.
  package func about(option: String) -> Self {
    Self(kind, description.replacing("--host", with: option).replacing("--port", with: option))
  }

  static func cannotStart(_ reason: String) -> Self {
    Self(.system, "The server cannot start: \(reason).")
  }
}

/// A value from outside, quoted and cut to 80 characters for a message.
func quoted(_ text: String) -> String {
  text.count <= 80 ? "\"\(text)\"" : "\"\(text.prefix(79))…\""
}
