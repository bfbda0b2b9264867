// SPDX-License-Identifier: Apache-2.0

/// The type of a file, by its name's extension.
package struct ContentType {
  /// The value of the header field.
  package var name: String
  /// Whether gzip makes it smaller.
  var isCompressible: Bool
  /// Whether a browser may show it for a day without asking; pages and modules must fit each other.
  var isLongLived: Bool

  /// The type of a file.
  ///
  /// - Parameter fileName: Its name.
  package init(fileName: String) {
    let parts = fileName.split(separator: ".")
    let ending = parts.count > 1 ? parts[parts.count - 1].lowercased() : ""
    (name, isCompressible, isLongLived) =
      Self.known[ending] ?? ("application/octet-stream", false, false)
  }

  private static let known: [String: (String, Bool, Bool)] = [
    "html": ("text/html; charset=utf-8", true, false),
    "js": ("text/javascript; charset=utf-8", true, false),
    "mjs": ("text/javascript; charset=utf-8", true, false),
    "ts": ("text/plain; charset=utf-8", true, false),
    "css": ("text/css; charset=utf-8", true, false),
    "json": ("application/json", true, false),
    "map": ("application/json", true, false),
    "webmanifest": ("application/manifest+json", true, false),
    "txt": ("text/plain; charset=utf-8", true, false),
    "xml": ("application/xml", true, false),
    "wasm": ("application/wasm", true, false),
    "svg": ("image/svg+xml", true, true),
    "png": ("image/png", false, true),
    "jpg": ("image/jpeg", false, true),
    "jpeg": ("image/jpeg", false, true),
    "gif": ("image/gif", false, true),
    "webp": ("image/webp", false, true),
    "avif": ("image/avif", false, true),
    "ico": ("image/vnd.microsoft.icon", true, true),
    "woff2": ("font/woff2", false, true),
    "pdf": ("application/pdf", false, false),
  ]
}
