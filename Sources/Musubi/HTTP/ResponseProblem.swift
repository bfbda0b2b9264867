// SPDX-License-Identifier: Apache-2.0

/// Why a response of the program cannot be sent, for its log.
struct ResponseProblem: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// The fields that the server writes itself.
  private static let own: Set<String> = [
    "connection", "content-length", "content-security-policy", "date", "keep-alive", "set-cookie", "trailer",
    "transfer-encoding", "upgrade", "x-content-type-options", "x-frame-options",
  ]

  /// Checks a header field.
  ///
  /// - Throws: The problem.
  static func check(_ name: String, _ value: String) throws(ResponseProblem) {
    guard isToken(name) else { throw Self("A header field's name is no token.") }
    guard !own.contains(name.lowercased()) else { throw Self("The server writes the field \(name) itself.") }
    // Whoever writes an end of line writes the next field, or the next response.
    guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
      throw Self("The header field \(name) has an end of line, or another control character.")
    }
  }

  /// Whether a text is a token (RFC 9110, section 5.6.2).
  static func isToken(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        (0x21...0x7E).contains(byte) && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
      }
  }
}

/// The name under which a browser saves a response.
struct DownloadName {
  private let name: String

  init(_ name: String) {
    let cleaned = String(
      String.UnicodeScalarView(
        FileName.shortened(name).unicodeScalars.map { scalar in
          scalar.properties.generalCategory == .control || "/\\:*?\"<>|".unicodeScalars.contains(scalar)
            ? "_" : scalar
        }))
    self.name = cleaned.isEmpty ? "download" : cleaned
  }

  /// The value of `Content-Disposition`: the name in ASCII, and as it is (RFC 6266 section 4, RFC 8187 section 3.2).
  var disposition: String {
    let ascii = String(
      String.UnicodeScalarView(name.unicodeScalars.map { $0.isASCII && $0 != "%" ? $0 : "_" }))
    let text = "attachment; filename=\"\(ascii)\""
    return ascii == name ? text : text + "; filename*=UTF-8''" + RouteAnswer.encoded(name)
  }
}
