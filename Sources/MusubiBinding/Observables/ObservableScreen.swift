// SPDX-License-Identifier: Apache-2.0
import MusubiRx

/// An `@Observable` model as the content of a screen.
package final class ObservableScreen<Model: ObservableViewModel>: ScreenContent {
  private let name: String
  private let model: Model
  private var models: ScreenModels?
  package private(set) var components: [Component] = []

  /// The content of the screen of that name.
  package init(_ model: Model, name: String) {
    self.name = name
    self.model = model
  }

  /// Binds the model's names.
  package func start() throws {
    guard let builder = ScreenBuilder.active else { return }
    let models = ScreenModels("\(Model.self)", board: builder.board)
    self.models = models
    let names = ModelNames(models, of: Model.self)
    for binding in Model.bindings { binding.bind(names) { [model] in model } }
    components = names.storedParts
    builder.board.models = models
    models.update()
  }

  package var restorable: (any Restorable)? { model as? any Restorable }

  package func rules(of inputs: [ScreenSchema.Input]) throws -> InputRules {
    try InputRule.all(by: Model.allRules(), of: inputs, screen: name)
  }

  package func roles(of visitor: Visitor) -> Set<Role> { model.roles(of: visitor) }

  package func load() { models?.lifecycle.didLoad.onNext(()) }
  package func appear() { models?.lifecycle.didAppear.onNext(()) }
  package func disappear() { models?.lifecycle.didDisappear.onNext(()) }
}
