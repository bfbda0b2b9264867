import Musubi

extension DinnerModel: SharedModel {
  enum Command: Codable {
    case bring(String)
    case withdraw(Dish.ID)
  }

  func handle(_ command: Command, from sender: Visitor) throws {
    let guest = sender.id ?? "somebody"
    switch command {
    case .bring(let name): bring(name, guest: guest)
    case .withdraw(let id): try withdraw(id, guest: guest)
    }
  }
}

extension DinnerModel: Restorable {
  var state: [Dish] { dishes.value }
}

extension DinnerViewModel: InputOutputViewModel {}

extension Application {
  mutating func addDinner() {
    sharedModel("dinner") { context in DinnerModel(dishes: try context.restored() ?? []) }
    screen("dinner", page: "dinner.html") { context in
      DinnerViewModel(
        dinner: context.shared(DinnerModel.self, room: context.query["at"] ?? "home"),
        guest: context.visitor.id ?? "somebody")
    }
  }
}
