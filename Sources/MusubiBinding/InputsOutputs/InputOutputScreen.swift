// SPDX-License-Identifier: Apache-2.0
import MusubiRx
package import MusubiWire

/// A ViewModel with inputs and outputs as the content of a screen.
package final class InputOutputScreen<ViewModel: InputOutputViewModel>: ScreenContent {
  private let name: String
  private let viewModel: ViewModel
  private let lifecycle = Lifecycle()
  private let disposeBag = DisposeBag()
  package private(set) var components: [Component] = []
  /// The rules of rows that are ViewModels.
  private var rowRules: [([ScreenSchema.Input]) throws -> InputRules] = []

  /// The content of the screen of that name.
  package init(_ viewModel: ViewModel, name: String) {
    self.name = name
    self.viewModel = viewModel
  }

  /// Binds the outputs to the inputs, and declares the names of both.
  ///
  /// - Throws: `SchemaError` with the property whose type cannot cross the wire, or whose component has two names.
  package func start() throws {
    guard let builder = ScreenBuilder.active else { return }
    let declaration = StreamDeclaration(
      screen: name, builder: builder, lifecycle: lifecycle, disposeBag: disposeBag)
    let inputs = try declaration.inputs(ViewModel.Inputs.self)
    let outputs = viewModel.bind(inputs)
    try declaration.declare(outputs)
    if let problem = builder.hiddenRowInput { throw SchemaError(screen: name, problem: problem) }
    rowRules = builder.rowRules
    guard declaration.hasNested else { return }
    components = try Component.all(in: viewModel, streams: [inputs, outputs], screen: name)
  }

  package var restorable: (any Restorable)? { viewModel as? any Restorable }

  package func rules(of inputs: [ScreenSchema.Input]) throws -> InputRules {
    var all = try InputRule.all(by: ViewModel.rules, of: inputs, screen: name) {
      try ViewModel.Inputs(from: InputsDecoder(streams: $0, codingPath: []))
    }
    for rules in rowRules { try all.add(try rules(inputs), screen: name) }
    return all
  }

  package func roles(of visitor: Visitor) -> Set<Role> { viewModel.roles(of: visitor) }

  package var hasPersonalOutputs: Bool { ViewModel.PersonalOutputs.self != Never.self }

  package func personalOutputs(for visitor: Visitor) throws -> Value {
    try viewModel.personalOutputs(for: visitor).map { try ValueEncoder.encode($0) } ?? .object(Value.Object())
  }

  package func load() { lifecycle.didLoad.onNext(()) }
  package func appear() { lifecycle.didAppear.onNext(()) }
  package func disappear() { lifecycle.didDisappear.onNext(()) }
}

/// The events of a screen's life, for inputs with their names, those of components too.
struct Lifecycle {
  let didLoad = PublishSubject<Void>()
  let didAppear = PublishSubject<Void>()
  let didDisappear = PublishSubject<Void>()

  /// The events of a name; nil if it is none of a screen's life.
  func events(named name: String) -> PublishSubject<Void>? {
    switch name {
    case "viewDidLoad": didLoad
    case "viewDidAppear": didAppear
    case "viewDidDisappear": didDisappear
    default: nil
    }
  }
}
