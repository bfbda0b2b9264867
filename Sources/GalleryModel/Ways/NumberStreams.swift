// SPDX-License-Identifier: Apache-2.0
package import MusubiRx

/// The number screen as inputs and outputs.
package final class NumberStreams {
  /// What the page sends.
  package struct Inputs: Decodable {
    package var number: Signal<String> = .never()
    package var roll: Signal<Void> = .never()
  }

  /// What the page shows.
  package struct Outputs: Encodable {
    package let number: Driver<String>
    package let label: Driver<String>
  }

  /// The number.
  package private(set) var state: String
  private let draw: () -> Int

  /// The screen, with what draws a number, and its first number.
  package init(draw: @escaping () -> Int, number: String) {
    self.draw = draw
    state = number
  }

  /// Turns inputs into outputs.
  package func bind(_ inputs: Inputs) -> Outputs {
    let typed = inputs.number.filter { !$0.isEmpty }
    let drawn = inputs.roll.map { [draw] in "\(draw())" }
    let number = Signal.merge(typed, drawn).do(onNext: { [unowned self] in state = $0 })
      .asDriver(onErrorDriveWith: .empty()).startWith(state)
    return Outputs(number: number, label: number)
  }
}
