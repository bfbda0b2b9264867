// SPDX-License-Identifier: Apache-2.0
import Musubi
import MusubiRx
import Observation

/// Screens with one and with nine labels that follow a field: what one more output costs.
enum WideScreens {
  /// By how many outputs the wide ones have more.
  static let more = 8

  static func add(to application: inout Application) {
    application.screen("streams-narrow", scope: .room, page: "number.html") { _ in NarrowStreams() }
    application.screen("streams-wide", scope: .room, page: "number.html") { _ in WideStreams() }
    application.screen("properties-narrow", scope: .room, page: "number.html") { _ in NarrowProperties() }
    application.screen("properties-wide", scope: .room, page: "number.html") { _ in WideProperties() }
  }
}

private struct NumberInputs: Decodable {
  var number: Signal<String> = .never()

  var shown: Driver<String> { number.asDriver(onErrorDriveWith: .empty()).startWith("0") }
}

private final class NarrowStreams: InputOutputViewModel {
  struct Outputs: Encodable {
    let number, label: Driver<String>
  }

  func bind(_ inputs: NumberInputs) -> Outputs {
    let number = inputs.shown
    return Outputs(number: number, label: number)
  }
}

private final class WideStreams: InputOutputViewModel {
  struct Outputs: Encodable {
    let number, label, a, b, c, d, e, f, g, h: Driver<String>
  }

  func bind(_ inputs: NumberInputs) -> Outputs {
    let number = inputs.shown
    return Outputs(
      number: number, label: number, a: number, b: number, c: number, d: number, e: number, f: number,
      g: number, h: number)
  }
}

@Observable private final class NarrowProperties {
  var number = "0"
}

@Observable private final class WideProperties {
  var number = "0"
}

extension NarrowProperties: ObservableViewModel {
  static var bindings: [PageBinding<NarrowProperties>] {
    [.field("number", \.number), .output("label", \.number)]
  }
}

extension WideProperties: ObservableViewModel {
  static var bindings: [PageBinding<WideProperties>] {
    [.field("number", \.number), .output("label", \.number)]
      + ["a", "b", "c", "d", "e", "f", "g", "h"].map { .output($0, \.number) }
  }
}
