// SPDX-License-Identifier: Apache-2.0
package import GalleryAPI
package import MusubiRx

/// The contents in a database, one instance for all sessions on all loops.
///
/// Calls of the database leave the loop as tasks; their answers come back through shared relays.
package final class StoredContentsModel: ContentsModel, Sendable {
  private struct PostResult: Sendable {
    let id: String
    let result: Result<Content, ContentsError>
  }

  private let api: ContentsAPI
  private let list = SharedRelay<[Content]>(value: [])
  private let postResults = SharedRelay<PostResult>()
  private let failed = SharedRelay<ContentsError>()

  /// A model of what a database holds.
  package init(api: ContentsAPI) { self.api = api }

  package var contents: Observable<[Content]> { list.asObservable() }

  package var failures: Observable<ContentsError> { failed.asObservable() }

  package func content(_ id: Int64) -> Content? { list.value?.first { $0.id == id } }

  package func fetchContents() {
    Task { await refresh() }
  }

  /// Reads the entries; the server waits for it before the first page comes.
  package func refresh() async {
    do throws(ContentsError) {
      list.accept(try await api.fetch())
    } catch {
      failed.accept(error)
    }
  }

  package func post(_ draft: ContentDraft) {
    Task {
      do throws(ContentsError) {
        let content = try await api.post(
          title: draft.title, text: draft.text, author: draft.author, idempotencyKey: draft.id)
        await refresh()
        postResults.accept(PostResult(id: draft.id, result: .success(content)))
      } catch {
        postResults.accept(PostResult(id: draft.id, result: .failure(error)))
      }
    }
  }

  package func postResult(for id: String) -> Observable<Result<Content, ContentsError>> {
    postResults.asObservable().filter { $0.id == id }.map(\.result)
  }

  package func delete(_ id: Int64) {
    Task {
      do throws(ContentsError) {
        try await api.delete(id)
      } catch {
        if case .notFound = error.kind {} else { failed.accept(error) }
      }
      await refresh()
    }
  }
}
