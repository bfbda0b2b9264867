// SPDX-License-Identifier: Apache-2.0
import MusubiText
import MusubiWire

extension ClientSession {
  /// The revision of a two-way text that this session has applied; nil if there is no such text.
  package func revision(of name: String) -> Int? { documents[name]?.revision }

  /// The texts of own edits that are not part of the server's text yet, oldest first.
  package func pendingInsertions(of name: String) -> [String] {
    documents[name]?.pending.flatMap { $0.edit.components.map(\.inserted) } ?? []
  }
}
