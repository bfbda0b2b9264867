// SPDX-License-Identifier: Apache-2.0
package import GalleryAPI
package import MusubiBinding
package import MusubiRx

/// The contents in a database, as all visitors see them.
package final class ContentsModel: SharedModel {
  /// What a screen may ask for.
  package enum Command: Codable, Sendable {
    /// Reads the entries again.
    case fetch
    /// Adds an entry.
    case post(title: String, text: String)
    /// Removes an entry; one that has gone already is no failure.
    case delete(Content.ID)
  }

  /// The entries, newest first; nil until they have been read.
  package let contents = BehaviorRelay<[Content]?>(value: nil)
  private let api: ContentsAPI

  /// A model of a database's entries.
  package init(api: ContentsAPI) { self.api = api }

  /// Changes the database, and reads it again.
  ///
  /// - Throws: `ContentsError`.
  package func handle(_ command: Command, from sender: Visitor) async throws(ContentsError) {
    switch command {
    case .fetch: try await refresh()
    case .post(let title, let text):
      _ = try await api.post(
        title: title, text: text, author: sender.displayName ?? "",
        idempotencyKey: Effect.currentKey ?? "")
      do { try await refresh() } catch {
        // It is posted: to say that it is not would have it posted twice.
      }
    case .delete(let id):
      do { try await api.delete(id) } catch { if error.kind != .notFound(id: id) { throw error } }
      try await refresh()
    }
  }

  private func refresh() async throws(ContentsError) {
    let list = try await api.fetch()
    if list != contents.value { contents.accept(list) }
  }
}
