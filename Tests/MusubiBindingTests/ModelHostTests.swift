// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import Testing

@testable import MusubiBinding

/// Notes that are not stored.
private final class Notes: SharedModel {
  enum Command: Codable { case add(String) }

  let all = BehaviorRelay<[String]>(value: [String(repeating: "x", count: 1_000)])

  func handle(_ command: Command, from sender: Visitor) {
    if case .add(let note) = command { all.accept(all.value + [note]) }
  }
}

@Suite struct `A shared model at its home` {
  /// Follows the notes as a loop does.
  private func follow(_ host: ModelHost<Notes>, _ bag: DisposeBag) {
    let line = ModelLine(
      watch: { host.follow($0) { _ in }.disposed(by: bag) }, post: { _, _ in }, end: {})
    _ = line.mirror(\Notes.all) { SharedRelay(value: nil) }
  }

  @Test func `weighs what loops follow once, and as long as one does`() {
    let host = ModelHost(Notes())
    var bags = (0..<3).map { _ in DisposeBag() }
    #expect(host.heldBytes == 0)

    follow(host, bags[0])
    let one = host.heldBytes
    for bag in bags.dropFirst() { follow(host, bag) }
    #expect(one > 1_000 && host.heldBytes == one)

    bags.removeFirst()
    #expect(host.heldBytes == one)
    bags = []
    #expect(host.heldBytes == 0)
  }

  /// The name by which another server finds a relay, as a screen's key path tells it.
  private func name(_ path: any KeyPath<Shelf, BehaviorRelay<Int>> & Sendable) -> String? {
    var name: String?
    let line = ModelLine(watch: { name = $0.name }, post: { _, _ in }, end: {})
    _ = line.mirror(path) { SharedRelay(value: nil) }
    return name
  }

  @Test func `has a relay found by its name, if it is a stored property of one's own or inherited`() throws {
    let model = Shelf()
    let host = ModelHost(model)
    #expect(name(\.books) == "books" && name(\.cups) == "cups" && name(\.parts.small) == "parts.small")
    #expect(name(\.computed) == nil && name(\.overridable) == nil)

    var told: [String] = []
    var bag: DisposeBag? = DisposeBag()
    for name in ["books", "cups", "parts.small"] {
      let end = try #require(host.follow(named: name) { told.append("\(name) \(Self.text($0))") })
      bag.map { end.disposed(by: $0) }
    }
    model.cups.accept(7)
    model.parts.small.accept(8)
    #expect(told == ["books 1", "cups 2", "parts.small 3", "cups 7", "parts.small 8"])
    #expect(host.heldBytes == 0, "Numbers take no heap.")
    bag = nil
    model.cups.accept(9)
    #expect(told.count == 5)

    for name in ["", "none", "parts", "parts.", "books.none", "label", "closures"] {
      #expect(host.follow(named: name) { _ in } == nil, "\(name)")
    }
  }

  private static func text(_ relay: any CodableRelay) -> String {
    do { return String(decoding: try relay.sentContent().json, as: UTF8.self) } catch { return "\(error)" }
  }

  @Test func `answers another server with what is Codable, or a sentence`() throws {
    struct Sentence: Error, CustomStringConvertible { let description = "It is closed." }
    struct Ticket: Sendable {}
    func sent(_ result: ModelResult) -> String {
      switch result.sent {
      case .success(let content as SentContent): String(decoding: content.json, as: UTF8.self)
      case .success(let content): "\(content)"
      case .failure(let error): "\(type(of: error)): \(error)"
      }
    }
    #expect(sent(.success(())) == "()" && sent(.success(["a": 1])) == #"{"a":1}"#)
    #expect(sent(.success(Int?.none)) == "null")
    #expect(sent(.failure(Sentence())) == "SentError: It is closed.")
    #expect(sent(.failure(SharedModelError.busy)) == "SharedModelError: \(SharedModelError.busy)")
    #expect(sent(.success(Ticket())).hasSuffix("it is Ticket, which is neither Void nor Codable"))

    let reply = ModelResult.success(try SentContent(Int?.none)).received(as: Int?.self, or: (any Error).self)
    #expect(try reply.get() as? Int? == .some(nil))
    #expect(throws: (any Error).self) {
      try ModelResult.success(SentContent(json: Array("{".utf8))).received(as: Int.self, or: (any Error).self)
        .get()
    }
  }
}

/// A model with relays in several places.
private class Cupboard {
  struct Parts { let small = BehaviorRelay(value: 3) }

  let cups = BehaviorRelay(value: 2)
  let parts = Parts()
  let label = "cupboard"
  /// Not Codable.
  let closures = BehaviorRelay<() -> Void>(value: {})
  var overridable = BehaviorRelay(value: 4)
}

private final class Shelf: Cupboard, SharedModel {
  enum Command: Codable { case none }

  let books = BehaviorRelay(value: 1)
  var computed: BehaviorRelay<Int> { books }

  func handle(_ command: Command, from sender: Visitor) {}
}
