// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// A shop that takes a while for each order.
private final class Shop: @unchecked Sendable {
  weak var network: SimulatedNetwork?
  var time: Duration = .milliseconds(300)
  /// The keys of orders, each once.
  private(set) var keys: Set<String> = []
  private(set) var count = 0
  /// Counts the processes of the server: a later one does not hear of what an earlier one has begun.
  var life = 0

  func order(_ effect: Effect) {
    guard let network else { return }
    let begun = life
    network.schedule(network.now + time) { [self] in
      guard begun == life else { return }
      count += 1
      keys.insert(effect.key)
      effect.finish()
    }
  }
}

private final class OrderView: View, Restorable {
  private(set) var state: Int
  private let sum = Label("sum")
  private let (button, plain) = (Button("order"), Button("plain"))
  private let begin: () -> Effect
  private let shop: Shop

  init(_ context: ScreenContext, _ shop: Shop) throws {
    state = try context.restored() ?? 0
    begin = { context.beginEffect() }
    self.shop = shop
  }

  override func viewDidLoad() {
    sum.text = "\(state)"
    button.onTap = { [unowned self] in
      state += 1
      sum.text = "\(state)"
      shop.order(begin())
    }
    plain.onTap = { [unowned self] in
      state += 1
      sum.text = "\(state)"
    }
  }
}

@Suite struct `Effects that overlap` {
  private let store = SimulatedStore()
  private let shop = Shop()
  private let network: SimulatedNetwork
  private let pages: [RawPage]

  init() {
    network = SimulatedNetwork(
      seed: 6, store: store,
      routes: [
        ScreenRoute(name: "orders", scope: .room(default: "lobby")) { [shop] in try OrderView($0, shop) }
      ])
    shop.network = network
    let network = network
    pages = (0..<10).map { _ in RawPage(network, "orders") }
    run(.seconds(1))
  }

  private func run(_ time: Duration) { network.run(until: network.now + time) }

  /// Has the pages order one after the other, and finds out how long acknowledgements take.
  private func order(_ count: Int, every pause: Duration) -> Duration {
    var waiting: [(page: Int, input: Int, since: Duration)] = []
    var longest: Duration = .zero
    func look() {
      let acknowledged = pages.map { $0.last("ack")?.intValue ?? 0 }
      waiting.removeAll { entry in
        guard acknowledged[entry.page] >= entry.input else { return false }
        longest = max(longest, network.now - entry.since)
        return true
      }
    }
    for number in 0..<count {
      let (page, input) = (number % pages.count, number / pages.count + 1)
      pages[page].send(#"{"input":\#(input),"name":"order"}"#)
      waiting.append((page, input, network.now))
      run(pause)
      if number % 5 == 4 { look() }
    }
    for _ in 0..<400 where !waiting.isEmpty {
      run(.milliseconds(50))
      look()
    }
    #expect(waiting.isEmpty)
    return longest
  }

  @Test func `have each input acknowledged within seconds, and each happens once`() {
    let longest = order(240, every: .milliseconds(50))

    #expect(longest < .seconds(4), "The stream lasts twelve seconds.")
    #expect(shop.count == 240 && shop.keys.count == 240)
    #expect(store.storedRooms.first?.state == 240)
    #expect(pages.allSatisfy { $0.state["sum"] == "240" })
  }

  @Test func `happen once although the server is killed among them`() {
    _ = order(60, every: .milliseconds(50))
    for number in 0..<40 {
      pages[number % 10].send(#"{"input":\#(number / 10 + 7),"name":"order"}"#)
      run(.milliseconds(50))
    }
    shop.life += 1
    network.restartServer()
    run(.seconds(1))
    for page in pages { page.resume() }
    run(.seconds(1))
    for (number, page) in pages.enumerated() {
      let first = (page.last("resumed")?["ack"]?.intValue ?? 0) + 1
      for input in first..<11 { page.send(#"{"input":\#(input),"name":"order"}"#) }
      #expect(number < 10 && first >= 7)
    }
    run(.seconds(10))

    #expect(pages.allSatisfy { $0.last("ack") == 10 && $0.state["sum"] == "100" })
    #expect(shop.keys.count == 100 && store.storedRooms.first?.state == 100)
  }

  @Test func `hold no input back for one that takes long`() {
    shop.time = .seconds(20)
    pages[0].send(#"{"input":1,"name":"order"}"#)
    for input in 1...100 {
      pages[1].send(#"{"input":\#(input),"name":"plain"}"#)
      run(.milliseconds(100))
      #expect(pages[1].state["sum"] == .string("\(input + 1)"))
    }
    run(.seconds(20))
    #expect(pages[1].last("ack") == 100)
  }
}

@Suite struct `A room whose effects overlap` {
  @Test func `has inputs wait once those have ended that were open after a second`() {
    var overlap = EffectOverlap()
    let first = overlap.begin(at: .seconds(10))
    #expect(overlap.hold(at: .seconds(10)) == nil)
    let second = overlap.begin(at: .seconds(11))
    #expect(overlap.hold(at: .seconds(11)) == nil)
    overlap.finish(first)
    let third = overlap.begin(at: .seconds(12))
    #expect(overlap.hold(at: .seconds(12)) == nil)
    overlap.finish(second)
    #expect(overlap.hold(at: .seconds(13)) == .seconds(15))
    #expect(overlap.hold(at: .seconds(14)) == nil, "They wait already.")
    overlap.finish(third)

    let (hasWaited, waitsStill) = (overlap.wasTaken(), overlap.wasTaken())

    #expect(hasWaited && !waitsStill)
    _ = overlap.begin(at: .seconds(16))
    #expect(overlap.hold(at: .seconds(16)) == nil)
  }

  @Test func `gives a hold up that comes to no end, and begins none soon`() {
    var overlap = EffectOverlap()
    overlap.finish(overlap.begin(at: .seconds(10)))
    #expect(overlap.hold(at: .seconds(11)) == .seconds(13))
    _ = overlap.begin(at: .seconds(13))
    #expect(overlap.hold(at: .seconds(13)) == nil)
    _ = overlap.begin(at: .seconds(20))
    #expect(overlap.hold(at: .seconds(20)) == nil)
    #expect(overlap.hold(at: .seconds(30)) == nil, "Those of before are still open.")
  }
}
