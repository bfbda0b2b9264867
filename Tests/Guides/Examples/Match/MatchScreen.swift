import Musubi

extension ScoreViewModel: Restorable {}
extension MatchViewModel: InputOutputViewModel {}

extension Application {
  mutating func addMatch() {
    screen("match", scope: .room, page: "match.html") { context in
      MatchViewModel(
        home: try context.component("home").restored() ?? ScoreViewModel.State(),
        guest: try context.component("guest").restored() ?? ScoreViewModel.State())
    }
  }
}
