// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import Testing

@Suite struct `Inputs and outputs that cannot be bound` {
  private func problem<ViewModel: InputOutputViewModel & SendableMetatype>(
    _ make: @escaping @Sendable () -> ViewModel
  ) -> String? {
    problem(ScreenRoute(name: "bad", scope: .session) { _ in InputOutputScreen(make(), name: "bad") })
  }

  private func problem(_ route: ScreenRoute) -> String? {
    do {
      _ = try route.probe(
        ScreenContext(screen: "bad", clock: MainScheduler.instance, random: RandomSource(seed: 1)))
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func `are refused at the start if an input is a plain field`() {
    #expect(
      problem { PlainInput() }
        == #"Screen "bad": the input "name": a plain value cannot be bound; make it a Signal of its type."#)
    #expect(
      problem { ListInput() }
        == #"Screen "bad": the input "names": an array cannot be bound; make it a Signal of its type."#)
  }

  @Test func `are refused at the start if an output is a plain field, also one that is nil`() {
    let sentence =
      #"Screen "bad": the output "name": a plain value never changes; make it a Driver of its type."#
    #expect(problem { PlainOutput() } == sentence)
    #expect(problem { NilOutput() } == sentence)
  }

  @Test func `are refused at the start if their elements cannot cross the wire`() {
    #expect(problem { ForeignInput() }?.contains(#"the input "thing" has elements of type Opaque"#) == true)
    #expect(
      problem { ForeignOutput<Opaque>() }?.contains(#"the output "thing" has elements of type Opaque"#)
        == true)
    #expect(problem { ForeignOutput<[Opaque]>() }?.contains(#"the output "thing""#) == true)
    #expect(problem { ForeignOutput<Opaque?>() }?.contains(#"the output "thing""#) == true)
    #expect(problem { AbsentForeignOutput() }?.contains(#"the output "thing""#) == true)
  }

  @Test func `are refused at the start if an input is a let with a default value, also in a nested struct`() {
    #expect(problem { FixedInput() }?.contains(#"the input "tap" is a let with a default value"#) == true)
    #expect(
      problem { NestedFixedInput() }?.contains(#"the input "formTap" is a let with a default value"#) == true)
  }

  @Test func `are refused at the start if two have one name`() {
    #expect(problem { TwinOutputs() }?.contains(#"two outputs are called "formTitle""#) == true)
  }

  @Test func `do not compile if they are classes, of which there may be subclasses`() {
    // The compiler refuses `let taps: Observable<Void>` in a Decodable struct for the same reason.
    #expect(!(Observable<Void>.self is any Decodable.Type))
    #expect(!(BehaviorRelay<Int>.self is any Encodable.Type))
    #expect(problem { ForeignOutput<BehaviorRelay<Int>>() }?.contains(#"the output "thing""#) == true)
  }

  @Test func `are refused at the start if a first value refuses to be encoded`() {
    #expect(
      problem { FailingOutput() }
        == #"Screen "bad": the output "rows" keeps its old value: row 1 with the id "8": it is secret"#)
  }

  @Test func `are found by an example, if there is nothing without an address`() {
    let hidden = ScreenRoute(name: "bad", scope: .session) { _ in throw ScreenNotFound() }
    let shown = ScreenRoute(
      name: "bad", scope: .session, example: { InputOutputScreen(PlainOutput(), name: "bad") },
      make: { _ in throw ScreenNotFound() })

    #expect(problem(hidden)?.contains("give the screen an example") == true)
    #expect(problem(shown)?.contains(#"the output "name""#) == true)
  }
}

private struct Opaque {}
private struct NoOutputs: Encodable {}
private struct NoInputs: Decodable {}

private final class PlainInput: InputOutputViewModel {
  struct Inputs: Decodable { let name: String }
  func bind(_ inputs: Inputs) -> NoOutputs { NoOutputs() }
}

private final class ListInput: InputOutputViewModel {
  struct Inputs: Decodable { let names: [Signal<String>] }
  func bind(_ inputs: Inputs) -> NoOutputs { NoOutputs() }
}

private final class PlainOutput: InputOutputViewModel {
  struct Outputs: Encodable { let name: String }
  func bind(_ inputs: NoInputs) -> Outputs { Outputs(name: "x") }
}

private final class NilOutput: InputOutputViewModel {
  struct Outputs: Encodable { let name: String? }
  func bind(_ inputs: NoInputs) -> Outputs { Outputs(name: nil) }
}

private final class ForeignInput: InputOutputViewModel {
  struct Inputs: Decodable { let thing: Signal<Opaque> }
  func bind(_ inputs: Inputs) -> NoOutputs { NoOutputs() }
}

private final class ForeignOutput<Thing>: InputOutputViewModel {
  struct Outputs: Encodable { let thing: Driver<Thing> }
  func bind(_ inputs: NoInputs) -> Outputs { Outputs(thing: .never()) }
}

private final class AbsentForeignOutput: InputOutputViewModel {
  struct Outputs: Encodable { let thing: Driver<Opaque>? }
  func bind(_ inputs: NoInputs) -> Outputs { Outputs(thing: nil) }
}

/// What the compiler makes of `let tap: Signal<Void> = .never()`: a property that is never decoded.
private struct FixedTap: Decodable {
  let tap: Signal<Void>
  init(from decoder: any Decoder) { tap = .never() }
}

private final class FixedInput: InputOutputViewModel {
  func bind(_ inputs: FixedTap) -> NoOutputs { NoOutputs() }
}

private final class NestedFixedInput: InputOutputViewModel {
  struct Inputs: Decodable {
    let tap: Signal<Void>
    let form: FixedTap
  }
  func bind(_ inputs: Inputs) -> NoOutputs { NoOutputs() }
}

private final class TwinOutputs: InputOutputViewModel {
  struct Form: Encodable { let title: Driver<String> }
  struct Outputs: Encodable {
    let formTitle: Driver<String>
    let form: Form
  }
  func bind(_ inputs: NoInputs) -> Outputs { Outputs(formTitle: .never(), form: Form(title: .never())) }
}

private final class FailingOutput: InputOutputViewModel {
  struct Outputs: Encodable { let rows: Driver<[Letter]> }
  func bind(_ inputs: NoInputs) -> Outputs {
    Outputs(rows: .just([Letter(id: 7, text: "a"), Letter(id: 8, text: "secret")]))
  }
}
