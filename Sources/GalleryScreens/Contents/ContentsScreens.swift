// SPDX-License-Identifier: Apache-2.0
package import GalleryAPI
import GalleryModel
import Musubi

extension ContentsViewModel: InputOutputViewModel {}
extension ContentViewModel: InputOutputViewModel {}
extension DeleteQuestion: DialogContent {}

extension ContentsViewModel: Restorable {}
extension ContentViewModel: Restorable {
  /// The entry, so that it is shown even if it was deleted meanwhile.
  package var state: Content? { content }
}

/// The contents screens (`Public/contents.html`, `Public/content.html`): a list, and one entry on its own page.
enum ContentsScreens {
  static func add(to application: inout Application, api: ContentsAPI) {
    application.sharedModel("contents") { _ in ContentsModel(api: api) }
    application.screen("contents", page: "contents.html") { context in
      ContentsViewModel(
        model: context.shared(),
        resources: ContentsTexts(language: Language(preferred: context.visitor.locales)),
        state: try context.restored())
    }
    application.screen(
      "content", path: "/contents/<id>", page: "content.html",
      address: { (viewModel: ContentViewModel) in Content.address(of: viewModel.id) },
      example: { ContentViewModel(1, model: Shared(ContentsModel(api: api))) },
      make: { context in
        let model = context.shared(ContentsModel.self)
        if let content = try context.restored(Content?.self) ?? nil {
          return ContentViewModel(content.id, content, model: model, fetches: true)
        }
        guard let id = context.parameters["id"].flatMap(Int64.init) else { throw ScreenNotFound() }
        return ContentViewModel(id, model: model, fetches: true)
      })
  }
}
