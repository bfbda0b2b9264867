// SPDX-License-Identifier: Apache-2.0
import Musubi
import MusubiText

/// The ways of writing a ViewModel.
enum Style: String, CaseIterable {
  case inputs, outlets, states, observable

  /// A style by its name.
  ///
  /// - Throws: `CommandLineError` with the nearest name.
  static func named(_ text: String) throws(CommandLineError) -> Style {
    if let style = Style(rawValue: text) { return style }
    let names = allCases.map(\.rawValue)
    let hint = names.nearest(to: text).first.map { " (did you mean \($0)?)" } ?? ""
    throw CommandLineError(
      "--style takes \(names.joined(separator: ", ")), but \"\(text.prefix(80))\" came\(hint).")
  }

  /// What it is, for the help and the README of a package.
  var summary: String {
    switch self {
    case .inputs: "one function from a struct of inputs to a struct of outputs"
    case .outlets: "a View with outlets, and a ViewModel that is given their observables, as with RxCocoa"
    case .states: "an enum of states and one closure; imports nothing"
    case .observable: "an @Observable class, as SwiftUI shows it"
    }
  }

  /// The guide in Musubi's documentation.
  var guide: String {
    switch self {
    case .inputs: "InputsAndOutputs"
    case .outlets: "Outlets"
    case .states: "StateEnum"
    case .observable: "ObservableModels"
    }
  }
}
