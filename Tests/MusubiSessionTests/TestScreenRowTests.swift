// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

@Suite struct `What a test reads of a list` {
  /// Two dishes, each with who likes it.
  private final class Dishes: InputOutputViewModel {
    struct Dish: Encodable {
      let title: String
      let friends: [String]
    }
    struct Inputs: Decodable {}
    struct Outputs: Encodable {
      let dishes: Driver<[Dish]>
    }

    func bind(_ inputs: Inputs) -> Outputs {
      Outputs(
        dishes: .just([Dish(title: "Soup", friends: []), Dish(title: "Tea", friends: ["Ann", "Bob"])]))
    }
  }

  @Test func `is a member of a row, and nothing where there is none`() throws {
    let screen = try TestScreen { Dishes() }

    #expect(screen["dishes[1].title"] == "Tea")
    #expect(screen["dishes.1.title"] == "Tea")
    #expect(screen["dishes[1].friends[0]"] == "Ann")
    #expect(screen["dishes[2].title"] == nil)
    #expect(screen["dishes[0].titel"] == nil)
    #expect(screen["dish"] == nil)
  }
}

/// Copes with what goes wrong, and tells it.
private final class Careful: InputOutputViewModel {
  struct Trouble: Error, CustomStringConvertible { let description: String }
  struct Inputs: Decodable {
    var keep: Signal<Void> = .never()
  }
  struct Outputs: Encodable {
    let hasFailed: Driver<Bool>
  }
  private let context: ScreenContext
  private let hasFailed = BehaviorRelay(value: false)
  private let disposeBag = DisposeBag()

  init(_ context: ScreenContext, isBroken: Bool) {
    self.context = context
    if isBroken { context.report(Trouble(description: "it began badly")) }
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.keep.emit(onNext: { [unowned self] in
      context.report(Trouble(description: "the disk is full"))
      hasFailed.accept(true)
    }).disposed(by: disposeBag)
    return Outputs(hasFailed: hasFailed.asDriver())
  }
}

@Suite struct `What a screen reports` {
  @Test
  func `is in the log with its room and who has caused it, and pages get nothing but what the screen shows`()
  {
    let network = SimulatedNetwork(
      seed: 1,
      routes: [
        ScreenRoute(name: "careful", scope: .room) { context in
          InputOutputScreen(Careful(context, isBroken: false), name: "careful")
        }
      ], authorize: { _ in Visitor(id: "ann") })
    let page = RawPage(network, "careful", query: ["room": "tea"])
    network.run(until: .seconds(1))

    page.send(#"{"input":1,"name":"keep"}"#)
    network.run(until: .seconds(2))

    #expect(network.failures == ["careful: the disk is full"])
    let failed = network.notices.compactMap { notice -> Notice.Failed? in
      if case .failed(let failed) = notice { failed } else { nil }
    }
    #expect(failed.first?.room == "tea" && failed.first?.peer == .identity("ann"))
    #expect(page.state["hasFailed"] == true)
    #expect(!page.frames.contains { $0.contains("disk") })
    network.end()
  }

  @Test func `is nothing in a test without a server`() throws {
    let screen = try TestScreen(query: [:]) { Careful($0, isBroken: true) }
    try screen.tap("keep")
    #expect(screen["hasFailed"] == "true")
  }
}
