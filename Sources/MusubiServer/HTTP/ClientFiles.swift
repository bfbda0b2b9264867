// SPDX-License-Identifier: Apache-2.0
import CBrowserClient

/// The browsers' client, which is part of the program: each server sends the one that speaks its protocol.
package enum ClientFiles {
  /// The files, each with its path in the site, such as `musubi/dev.js`.
  package static var all: [(path: String, body: [UInt8])] { files.filter { !PageComposer.isPart($0.path) } }

  /// The fragments that pages may use without having them: they are sent as parts of pages.
  static var parts: [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: files.filter { PageComposer.isPart($0.path) })
  }

  private static var files: [(path: String, body: [UInt8])] {
    sequence(state: 0) { index in
      defer { index += 1 }
      return musubi_client_file_at(index)?.pointee
    }
    .map {
      (path: String(cString: $0.path), body: Array(UnsafeBufferPointer(start: $0.bytes, count: $0.count)))
    }
  }
}
