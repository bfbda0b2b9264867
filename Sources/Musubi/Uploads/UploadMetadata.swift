// SPDX-License-Identifier: Apache-2.0
import MusubiServer

/// What a client says of a file: names and values in base64 (tus 1.0, `Upload-Metadata`).
struct UploadMetadata {
  /// The values by name; one without a value is empty.
  private(set) var fields: [String: String] = [:]

  /// Reads the header field.
  ///
  /// - Returns: nil if it cannot be read.
  init?(_ text: String) {
    for pair in text.split(separator: ",") {
      let words = pair.split(separator: " ", omittingEmptySubsequences: true)
      guard let name = words.first, words.count <= 2, fields[String(name)] == nil else { return nil }
      guard words.count == 2 else {
        fields[String(name)] = ""
        continue
      }
      guard let bytes = Cryptography.bytes(ofBase64: String(words[1])),
        let value = String(validating: bytes, as: UTF8.self)
      else { return nil }
      fields[String(name)] = value
    }
  }
}
