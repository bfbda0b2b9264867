// SPDX-License-Identifier: Apache-2.0
package import GalleryAPI
package import MusubiRx

/// An entry that somebody wants to post.
package struct ContentDraft: Sendable, Equatable {
  /// Names the post: the same id posts once, however often it comes.
  package let id: String
  /// Its title.
  package let title: String
  /// Its text.
  package let text: String
  /// Who wrote it.
  package let author: String

  /// A draft.
  package init(id: String, title: String, text: String, author: String) {
    self.id = id
    self.title = title
    self.text = text
    self.author = author
  }
}

/// What the contents screens need of their model; tests inject a stub.
///
/// Actions have no result of their own. What became of one is a stream that its asker filters, so that a failure reaches
/// the screen that asked, and ends nothing.
package protocol ContentsModel {
  /// The entries, newest first; a new screen gets the last known list at once.
  var contents: Observable<[Content]> { get }
  /// The entry of that number in the last known list.
  func content(_ id: Int64) -> Content?
  /// Reads the entries again; `request` names the action, as a draft's id does.
  func fetchContents(as request: String)
  /// Adds an entry; subscribe to `postResult` first.
  func post(_ draft: ContentDraft)
  /// What became of a post.
  func postResult(for id: String) -> Observable<Result<Content, ContentsError>>
  /// Removes an entry; one that has gone already is no failure.
  func delete(_ id: Int64, as request: String)
  /// What became of reading or removing, for the screen that asked: nil, or why it failed.
  func outcome(of request: String) -> Observable<ContentsError?>
}
