import Musubi

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
  }
}
