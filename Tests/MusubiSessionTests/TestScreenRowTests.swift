// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
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
