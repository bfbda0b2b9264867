// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import Observation
import Synchronization
import Testing

private struct SaveError: Error, CustomStringConvertible {
  let description = "the disk is full"
}

/// Answers when a test says so.
private final class Shop: Sendable {
  private let waiting = Mutex<[CheckedContinuation<Int, any Error>]>([])

  func price(of name: String) async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in waiting.withLock { $0.append(continuation) } }
  }

  func answer(_ result: Result<Int, any Error>) {
    waiting.withLock { $0.removeFirst() }.resume(with: result)
  }
}

/// Works on a thread of its own.
private actor Clerk {
  func price(of name: String) -> Int { name.count }
}

private enum Size: String, Codable { case small, large }

@Observable private final class Address {
  var street = ""
}

@Observable private final class Item: Identifiable {
  let id: Int
  var title: String
  var isDone = false
  var author: Address?

  init(id: Int, title: String) {
    self.id = id
    self.title = title
  }

  func toggle() { isDone.toggle() }
}

@Observable private final class Basket {
  var name = "" {
    didSet { if name.count > 5 { name = String(name.prefix(5)) } }
  }
  var amount = 1
  var size = Size.small
  var greeting: String { "Hello, \(name)!" }
  var tags = ["a", "b"]
  var items: [Item] = []
  var address = Address()
  var second: Address?
  var price = 0
  var lastSender = ""
  @ObservationIgnored var frozen: String {
    get { "fixed" }
    set {}
  }
  private let shop: Shop

  init(shop: Shop = Shop()) { self.shop = shop }

  func ask() async throws { price = try await shop.price(of: name) }
  func count() async { price = await Clerk().price(of: name) }
  func fail() throws { throw SaveError() }
}

extension Address: ObservableViewModel {
  static var bindings: [PageBinding<Address>] { [.field("street", \.street)] }
}

extension Item: ObservableViewModel {
  static var bindings: [PageBinding<Item>] {
    [
      .field("title", \.title), .output("isDone", \.isDone), .action("toggle") { $0.toggle() },
      .child("author", \.author),
    ]
  }
}

extension Basket: ObservableViewModel {
  static var bindings: [PageBinding<Basket>] {
    [
      .field("name", \.name), .field("amount", \.amount), .field("size", \.size), .field("frozen", \.frozen),
      .output("greeting", \.greeting), .output("tags", \.tags), .output("price", \.price),
      .output("lastSender", \.lastSender), .rows("items", \.items), .child("address", \.address),
      .child("second", \.second),
      .action("ask", running: "asking", failure: "problem") { try await $0.ask() },
      .action("count") { await $0.count() },
      .action("add") { (basket, title: String) in
        basket.items.append(Item(id: basket.items.count + 1, title: title))
      },
      .action("swap") { $0.items.swapAt(0, 1) }, .action("drop") { $0.items.removeFirst() },
      .action("who") { basket, sender in basket.lastSender = sender.id ?? "nobody" },
      .action("vote") { (basket, vote: Int, sender) in basket.lastSender = "\(sender.id ?? "") \(vote)" },
      .action("askAs") { basket, sender in
        try await basket.ask()
        basket.lastSender = "\(sender.id ?? "nobody") asked"
      },
      .action("offer") { (basket, price: Int, sender) in
        try await basket.ask()
        basket.lastSender = "\(sender.id ?? "nobody") offered \(price)"
      },
      .action("fail") { try $0.fail() },
      .action("begin") { $0.second = Address() }, .action("end") { $0.second = nil },
    ]
  }

  static var rules: [InputRule<Basket>] { [.allow("drop", for: .role("host"))] }
}

/// Rows whose ids are texts.
@Observable private final class Dish: Identifiable {
  let id: String
  private(set) var orders = 0

  init(_ id: String) { self.id = id }

  func order() { orders += 1 }
}

extension Dish: ObservableViewModel {
  static var bindings: [PageBinding<Dish>] {
    [.output("orders", \.orders), .action("order") { $0.order() }]
  }
}

@Observable private final class Menu {
  var dishes: [Dish] = []
}

extension Menu: ObservableViewModel {
  static var bindings: [PageBinding<Menu>] { [.rows("dishes", \.dishes)] }
}

@Suite(.timeLimit(.minutes(5))) struct `An observable model` {
  @Test func `shows its properties, and computed ones follow what they read`() throws {
    let screen = try TestScreen { Basket() }
    #expect(screen["greeting"] == "Hello, !")

    try screen.type("Ann", into: "name")

    #expect(screen["greeting"] == "Hello, Ann!")
    #expect(screen["name"] == "Ann")
  }

  @Test func `has the last word about what is written into a field`() throws {
    let screen = try TestScreen { Basket() }
    try screen.type("Annabel", into: "name")
    #expect(screen["name"] == "Annab")

    try screen.type("anything", into: "frozen")
    #expect(screen["frozen"] == "fixed")
  }

  @Test func `takes values of other types, and refuses wrong ones`() throws {
    let screen = try TestScreen { Basket() }
    try screen.send(7, to: "amount")
    try screen.send("large", to: "size")
    #expect(screen["amount"] == "7")
    #expect(screen["size"] == "large")

    #expect(throws: (any Error).self) { try screen.send("many", to: "amount") }
    #expect(throws: (any Error).self) { try screen.send("huge", to: "size") }
    #expect(screen["size"] == "large")
  }

  @Test func `shows rows of models, each changed by itself`() throws {
    let basket = Basket()
    let screen = try TestScreen { basket }
    try screen.send("tea", to: "add")
    try screen.send("milk", to: "add")
    #expect(
      screen["items"]
        == #"[{"id":"1","title":"tea","isDone":false},{"id":"2","title":"milk","isDone":false}]"#)

    try screen.tap("toggle", row: "2")
    try screen.type("oat milk", into: "title", row: "2")
    try screen.tap("swap")
    #expect(
      screen["items"]
        == #"[{"id":"2","title":"oat milk","isDone":true},{"id":"1","title":"tea","isDone":false}]"#)
    basket.items[1].author = Address()
    #expect(screen["items"]?.contains(#""authorStreet":"""#) == true)
    try screen.type("Elm St", into: "authorStreet", row: "1")
    #expect(basket.items[1].author?.street == "Elm St")

    #expect(throws: (any Error).self) { try screen.tap("toggle", row: "9") }
  }

  @Test func `keeps the old list if two rows have one id`() throws {
    let basket = Basket()
    let screen = try TestScreen { basket }
    try screen.send("tea", to: "add")
    let before = screen["items"]
    basket.items.append(Item(id: 1, title: "again"))
    #expect(screen["items"] == before)
    basket.items.removeLast()
    basket.items.append(Item(id: 2, title: "milk"))
    #expect(screen["items"]?.contains("milk") == true)
  }

  @Test func `tells rows apart whose ids have other bytes`() throws {
    let menu = Menu()
    let screen = try TestScreen { menu }
    menu.dishes = [Dish("caf\u{e9}"), Dish("cafe\u{301}")]
    #expect(screen["dishes[1].id"] == "cafe\u{301}")

    try screen.tap("order", row: "cafe\u{301}")
    #expect(menu.dishes.map(\.orders) == [0, 1])
    #expect(screen["dishes[0].orders"] == "0" && screen["dishes[1].orders"] == "1")
  }

  @Test func `has parts, and names of parts that come and go`() throws {
    let screen = try TestScreen { Basket() }
    try screen.type("Main St", into: "addressStreet")
    #expect(screen["addressStreet"] == "Main St")
    #expect(screen["secondStreet"] == "null")
    #expect(throws: (any Error).self) { try screen.type("x", into: "secondStreet") }

    try screen.tap("begin")
    #expect(screen["secondStreet"] == "")
    try screen.type("High St", into: "secondStreet")
    #expect(screen["secondStreet"] == "High St")
    try screen.tap("end")
    #expect(screen["secondStreet"] == "null")
  }

  @Test func `hears who sent an action, and obeys its rules`() throws {
    let screen = try TestScreen(visitor: Visitor(id: "ann")) { Basket() }
    try screen.tap("who")
    #expect(screen["lastSender"] == "ann")

    try screen.send(3, to: "vote")
    #expect(screen["lastSender"] == "ann 3")

    #expect(throws: (any Error).self) { try screen.tap("drop") }
    screen.visitor = Visitor(id: "bob", roles: ["host"])
    try screen.send("tea", to: "add")
    try screen.tap("drop")
    #expect(screen["items"] == "[]")
  }

  @Test func `tells that an action runs, and why it has failed`() async throws {
    let shop = Shop()
    let screen = try TestScreen { Basket(shop: shop) }
    #expect(screen["asking"] == "false")
    try screen.tap("ask")
    #expect(screen["asking"] == "true")
    shop.answer(.success(42))
    await screen.settle()
    #expect(screen["price"] == "42")
    #expect(screen["asking"] == "false")

    try screen.tap("ask")
    shop.answer(.failure(SaveError()))
    await screen.settle()
    #expect(screen["problem"] == "the disk is full")
    try screen.tap("ask")
    #expect(screen["problem"] == "")
    shop.answer(.success(43))
    await screen.settle()
    #expect(screen["price"] == "43")
  }

  @Test func `hears who began an action that waits, whoever acts meanwhile`() async throws {
    let shop = Shop()
    let screen = try TestScreen(visitor: Visitor(id: "ann")) { Basket(shop: shop) }
    try screen.tap("askAs")
    screen.visitor = Visitor(id: "bob")
    try screen.tap("who")
    #expect(screen["lastSender"] == "bob")
    shop.answer(.success(1))
    await screen.settle()
    #expect(screen["lastSender"] == "ann asked")

    try screen.send(5, to: "offer")
    screen.visitor = Visitor(id: "ann")
    try screen.tap("who")
    shop.answer(.success(2))
    await screen.settle()
    #expect(screen["lastSender"] == "bob offered 5")
  }

  @Test func `comes back from an actor`() async throws {
    let screen = try TestScreen { Basket() }
    try screen.type("Ann", into: "name")
    try screen.tap("count")
    try screen.tap("count")
    await screen.settle()
    #expect(screen["price"] == "3")
  }

  @Test func `does not end with an action that throws`() throws {
    let screen = try TestScreen { Basket() }
    try screen.tap("fail")
    try screen.type("Ann", into: "name")
    #expect(screen["greeting"] == "Hello, Ann!")
  }
}
