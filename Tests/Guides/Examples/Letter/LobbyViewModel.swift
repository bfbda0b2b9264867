import Musubi

/// Who writes the letters of two desks.
final class LobbyViewModel: InputOutputViewModel {
  struct Inputs: Decodable {}

  struct Outputs: Encodable {
    let left: Driver<String>
    let right: Driver<String>
  }

  private let left: Driver<Presence>
  private let right: Driver<Presence>

  init(left: Driver<Presence>, right: Driver<Presence>) {
    self.left = left
    self.right = right
  }

  func bind(_ inputs: Inputs) -> Outputs { Outputs(left: left.map(Self.text), right: right.map(Self.text)) }

  private static func text(of presence: Presence) -> String {
    presence.count == 0 ? "free" : presence.people.map { $0.name ?? "somebody" }.joined(separator: ", ")
  }
}

extension Application {
  mutating func addLobby() {
    screen("lobby", page: "lobby.html") { context in
      LobbyViewModel(
        left: context.presence(in: "left", of: "letter"), right: context.presence(in: "right", of: "letter"))
    }
  }
}
