// SPDX-License-Identifier: Apache-2.0
import struct Foundation.Date
package import GalleryAPI
import GalleryModel
import Musubi

extension ContentsViewModel: InputOutputViewModel {}
extension ContentViewModel: InputOutputViewModel {}
extension DeleteQuestion: DialogContent {}

extension ContentsViewModel: Restorable {}
extension ContentViewModel: Restorable {
  /// The entry, so that it is shown even if it was deleted meanwhile.
  package var state: Content { content }
}

/// The contents screens (`Public/contents.html`, `Public/content.html`): a list, and one entry on its own page.
enum ContentsScreens {
  static func add(to application: inout Application, model: StoredContentsModel) {
    application.screen("contents", page: "contents.html") { context in
      ContentsViewModel(
        model: model,
        resources: ContentsTexts(language: Language(preferred: context.visitor.locales)),
        author: context.visitor.displayName ?? "Guest", state: try context.restored(),
        begin: {
          let effect = context.beginEffect()
          return (effect.key, effect.finish)
        })
    }
    application.screen(
      "content", path: "/contents/<id>", page: "content.html",
      address: { (viewModel: ContentViewModel) in viewModel.content.address },
      example: {
        let content = Content(
          id: 1, title: "", text: "", author: "", time: Date(timeIntervalSince1970: 0))
        return ContentViewModel(content, model: model)
      },
      make: { context in
        if let content: Content = try context.restored() { return ContentViewModel(content, model: model) }
        guard let id = context.parameters["id"].flatMap(Int64.init), let content = model.content(id) else {
          throw ScreenNotFound()
        }
        return ContentViewModel(content, model: model)
      })
  }
}
