import Observation

/// What to take along on a journey, as SwiftUI would show it.
@Observable final class PackingModel {
  /// A thing to pack.
  @Observable final class Thing: Identifiable {
    let id: Int
    var name: String
    var isPacked = false

    init(id: Int, name: String) {
      self.id = id
      self.name = name
    }
  }

  var newName = ""
  private(set) var things: [Thing] = []
  private(set) var forecast = ""
  /// The thing that gets a page of its own.
  var selection: Thing?
  /// The thing that somebody wants to take off the list.
  var removal: Thing?
  private let weather: @Sendable () async throws -> String

  init(weather: @escaping @Sendable () async throws -> String) { self.weather = weather }

  var summary: String {
    let left = things.count { !$0.isPacked }
    return left == 0 ? "Everything is packed." : "\(left) to pack."
  }

  var cannotAdd: Bool { newName.isEmpty }

  func add() {
    guard !newName.isEmpty else { return }
    things.append(Thing(id: (things.last?.id ?? 0) + 1, name: newName))
    newName = ""
  }

  func thing(_ id: Thing.ID) -> Thing? { things.first { $0.id == id } }

  func remove(_ id: Thing.ID) { things.removeAll { $0.id == id } }

  func askForecast() async throws { forecast = try await weather() }
}
