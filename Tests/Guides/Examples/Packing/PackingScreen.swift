import Musubi

struct RemovalQuestion: Encodable {
  let id: Int
  let name: String
}

extension PackingModel: ObservableViewModel {
  static var bindings: [PageBinding<PackingModel>] {
    [
      .field("newName", \.newName),
      .output("summary", \.summary),
      .output("cannotAdd", \.cannotAdd),
      .output("forecast", \.forecast),
      .rows("things", \.things),
      .action("add") { $0.add() },
      .action("ask", running: "asking", failure: "problem") { try await $0.askForecast() },
      .action("open") { (packing, id: Int) in packing.selection = packing.thing(id) },
      .destination("thing", \.selection),
      .action("remove") { (packing, id: Int) in packing.removal = packing.thing(id) },
      .dialog("askRemove", \.removal) { thing in RemovalQuestion(id: thing.id, name: thing.name) },
      .action("confirmRemove") { (packing, id: Int) in packing.remove(id) },
    ]
  }
}

extension PackingModel.Thing: ObservableViewModel {
  static var bindings: [PageBinding<PackingModel.Thing>] {
    [.field("name", \.name), .output("isPacked", \.isPacked), .action("pack") { $0.isPacked.toggle() }]
  }
}

extension Application {
  mutating func addPacking() {
    screen("packing", page: "packing.html") { _ in PackingModel { "Sunny, 24 degrees." } }
    screen("thing", page: "thing.html", example: { PackingModel.Thing(id: 1, name: "Socks") }) { _ in
      throw ScreenNotFound()
    }
  }
}
