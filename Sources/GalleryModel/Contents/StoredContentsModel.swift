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

  private struct Outcome: Sendable {
    let request: String
    let error: ContentsError?
  }

  private let api: ContentsAPI
  private let list = SharedRelay<[Content]>(value: [])
  private let postResults = SharedRelay<PostResult>()
  private let outcomes = SharedRelay<Outcome>()

  /// A model of a database's entries.
  package init(api: ContentsAPI) { self.api = api }

  package var contents: Observable<[Content]> { list.asObservable() }

  package func content(_ id: Int64) -> Content? { list.value?.first { $0.id == id } }

  package func fetchContents(as request: String) {
    Task { await refresh(as: request) }
  }

  /// Reads the entries; the server waits for it before the first page comes.
  ///
  /// - Parameter request: The action that needs them, which is told what became of it.
  package func refresh(as request: String = "") async {
    do throws(ContentsError) {
      list.accept(try await api.fetch())
      outcomes.accept(Outcome(request: request, error: nil))
    } catch {
      outcomes.accept(Outcome(request: request, error: error))
    }
  }

  package func outcome(of request: String) -> Observable<ContentsError?> {
    outcomes.asObservable().filter { $0.request == request }.map(\.error)
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

  package func delete(_ id: Int64, as request: String) {
    Task {
      do throws(ContentsError) {
        try await api.delete(id)
      } catch {
        if case .notFound = error.kind {} else { outcomes.accept(Outcome(request: request, error: error)) }
      }
      await refresh(as: request)
    }
  }
}
