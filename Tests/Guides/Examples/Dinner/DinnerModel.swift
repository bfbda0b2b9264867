import MusubiRx

/// What somebody brings.
struct Dish: Codable, Equatable, Identifiable {
  let id: Int
  let name: String
  let guest: String
}

/// A dinner to which everybody brings something.
final class DinnerModel {
  /// Why a dish stays.
  struct NotYours: Error, CustomStringConvertible {
    let description = "Somebody else brings that."
  }

  let dishes: BehaviorRelay<[Dish]>

  init(dishes: [Dish] = []) { self.dishes = BehaviorRelay(value: dishes) }

  func bring(_ name: String, guest: String) {
    let id = (dishes.value.map(\.id).max() ?? 0) + 1
    dishes.accept(dishes.value + [Dish(id: id, name: name, guest: guest)])
  }

  func withdraw(_ id: Dish.ID, guest: String) throws {
    guard let dish = dishes.value.first(where: { $0.id == id }) else { return }
    guard dish.guest == guest else { throw NotYours() }
    dishes.accept(dishes.value.filter { $0.id != id })
  }
}
