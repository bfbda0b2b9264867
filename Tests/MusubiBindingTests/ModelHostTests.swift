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
}
