import Musubi

extension EntriesViewModel: InputOutputViewModel {}

extension Application {
  mutating func addEntries() {
    screen("entries", scope: .room, page: "entries.html") { _ in
      EntriesViewModel(model: EntriesModel(count: 100_000))
    }
  }
}
