// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiRx
import Testing

/// The messages that the guides quote are those that an author gets.
@Suite struct `A mistake in inputs or outputs` {
  private static let guide = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/Musubi/Musubi.docc/InputsAndOutputs.md")

  private func message<ViewModel: InputOutputViewModel & SendableMetatype>(
    asking component: String? = nil, _ make: @escaping @Sendable () -> ViewModel
  ) -> String {
    let route = ScreenRoute(name: "sign-up", scope: .session) { context in
      if let component { _ = context.component(component) }
      return InputOutputScreen(make(), name: "sign-up")
    }
    do {
      _ = try route.probe(
        ScreenContext(screen: "sign-up", clock: MainScheduler.instance, random: RandomSource(seed: 1)))
      return "no message"
    } catch {
      return "\(error)"
    }
  }

  @Test func `is told as the guide says`() throws {
    let text = try String(contentsOf: Self.guide, encoding: .utf8)

    for message in [
      message { PlainInput() }, message { PlainOutput() }, message { ForeignInput() },
      message { ForeignOutput() },
      message { FixedInput() }, message { Twice() }, message { Lifecycle() },
      message { Misnamed() }, message(asking: "hme") { Misnamed.Part() },
    ] {
      #expect(text.contains(message), "InputsAndOutputs.md does not quote: \(message)")
    }
  }
}

struct Badge {}

private final class PlainInput: InputOutputViewModel {
  struct Inputs: Decodable { let name: String }
  struct Outputs: Encodable {}
  func bind(_ inputs: Inputs) -> Outputs { Outputs() }
}

private final class PlainOutput: InputOutputViewModel {
  struct Inputs: Decodable {}
  struct Outputs: Encodable { let advice: String }
  func bind(_ inputs: Inputs) -> Outputs { Outputs(advice: "") }
}

private final class ForeignInput: InputOutputViewModel {
  struct Inputs: Decodable { let badge: Signal<Badge> }
  struct Outputs: Encodable {}
  func bind(_ inputs: Inputs) -> Outputs { Outputs() }
}

private final class ForeignOutput: InputOutputViewModel {
  struct Inputs: Decodable {}
  struct Outputs: Encodable { let badge: Driver<Badge> }
  func bind(_ inputs: Inputs) -> Outputs { Outputs(badge: .never()) }
}

/// What the compiler makes of `let join: Signal<Void> = .never()`, without its warning.
private final class FixedInput: InputOutputViewModel {
  struct Inputs: Decodable {
    let join: Signal<Void>
    init(from decoder: any Decoder) { join = .never() }
  }
  struct Outputs: Encodable {}
  func bind(_ inputs: Inputs) -> Outputs { Outputs() }
}

private final class Twice: InputOutputViewModel {
  struct Form: Decodable { let name: Signal<String> }
  struct Inputs: Decodable {
    let form: Form
    let formName: Signal<String>
  }
  struct Outputs: Encodable {}
  func bind(_ inputs: Inputs) -> Outputs { Outputs() }
}

private final class Lifecycle: InputOutputViewModel {
  struct Inputs: Decodable { let viewDidLoad: Signal<String> }
  struct Outputs: Encodable {}
  func bind(_ inputs: Inputs) -> Outputs { Outputs() }
}

private final class Misnamed: InputOutputViewModel {
  final class Part: InputOutputViewModel, Restorable {
    struct Inputs: Decodable { let score: Signal<Void> }
    struct Outputs: Encodable {}
    var state: Int { 0 }
    func bind(_ inputs: Inputs) -> Outputs { Outputs() }
  }

  struct Inputs: Decodable { let home: Part.Inputs }
  struct Outputs: Encodable {}
  private let counter = Part()
  func bind(_ inputs: Inputs) -> Outputs { Outputs() }
}
