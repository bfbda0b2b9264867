// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import MusubiSession

@Suite struct `A table of objects with keys` {
  private final class Thing: Keyed {
    let key: Key
    init(_ key: Key) { self.key = key }
  }

  /// Of all keys only eight have hashes of their own, so that most give way to others.
  private struct Key: Hashable {
    let number: Int
    func hash(into hasher: inout Hasher) { hasher.combine(number % 8) }
  }

  @Test(arguments: 1...20) func `finds what a dictionary finds, whatever comes and goes`(_ seed: UInt64) {
    var state = seed
    func random(below limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    var table = KeyedTable<Thing>()
    var dictionary: [Key: Thing] = [:]

    for _ in 0..<2_000 {
      let key = Key(number: random(below: 60))
      switch random(below: 3) {
      case 0:
        let thing = Thing(key)
        table[key] = thing
        dictionary[key] = thing
      case 1: #expect(table.remove(key) === dictionary.removeValue(forKey: key))
      default:
        table[key] = nil
        dictionary[key] = nil
      }
      #expect(table.count == dictionary.count)
    }

    for number in 0..<60 { #expect(table[Key(number: number)] === dictionary[Key(number: number)]) }
    #expect(Set(table.values.map(ObjectIdentifier.init)) == Set(dictionary.values.map(ObjectIdentifier.init)))
  }
}
