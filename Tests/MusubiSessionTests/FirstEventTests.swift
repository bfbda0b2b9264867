// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

@Suite struct `An event before a page's first snapshot` {
  private let store = SimulatedStore()
  private let network: SimulatedNetwork

  init() {
    network = SimulatedNetwork(
      seed: 5, store: store,
      routes: [.greeter("greeter", .session), .greeter("host", .room(default: "lobby"))])
  }

  private func settle(_ time: Duration = .seconds(4)) { network.run(until: network.now + time) }

  private func greetings(_ page: RawPage) -> [Value] {
    page.new.flatMap { $0["events"]?.arrayValue ?? [] }.compactMap { $0["value"] }
  }

  @Test func `is told behind it, once, if the screen is the page's own`() throws {
    let page = RawPage(network, "greeter")
    settle()

    #expect(greetings(page) == ["loaded", "appeared", "one second"])
    let frames = page.values
    let snapshot = try #require(frames.firstIndex { $0["snapshot"] != nil })
    #expect(try snapshot < #require(frames.firstIndex { $0["events"] != nil }))

    page.mark()
    page.link?.drop()
    settle()
    page.resume()
    settle()
    #expect(page.new.first?["resumed"]?["turns"] == 0 && greetings(page) == [])
  }

  @Test func `is told also if it came while the session waited for the store`() {
    store.delay = .seconds(2)
    let page = RawPage(network, "greeter")
    settle()

    #expect(page.last("snapshot") != nil)
    #expect(greetings(page) == ["loaded", "appeared", "one second"])
  }

  @Test func `is told to the pages of a shared screen that are there, and not to who comes`() {
    let first = RawPage(network, "host")
    settle()
    let second = RawPage(network, "host")
    settle()

    #expect(greetings(first) == ["one second", "appeared"])
    #expect(greetings(second) == [])
  }
}

/// A ViewModel that greets as it begins, each page that comes, and a second later.
private final class Greeter: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {
    var viewDidLoad: Signal<Void> = .never()
    var viewDidAppear: Signal<Void> = .never()
  }
  struct Outputs: Encodable { let greeting: Signal<String> }

  let state = 0

  func bind(_ inputs: Inputs) -> Outputs {
    let later = Signal<Int>.timer(.seconds(1), period: .seconds(600)).map { _ in "one second" }
    return Outputs(
      greeting: .merge(
        inputs.viewDidLoad.map { "loaded" }, inputs.viewDidAppear.map { "appeared" }, later))
  }
}

extension ScreenRoute {
  fileprivate static func greeter(_ name: String, _ scope: Scope) -> ScreenRoute {
    ScreenRoute(name: name, scope: scope) { context in
      _ = try context.restored(Int.self)
      return InputOutputScreen(Greeter(), name: name)
    }
  }
}
