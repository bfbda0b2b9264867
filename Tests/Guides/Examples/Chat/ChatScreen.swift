import Musubi

extension ChatModel: SharedModel {
  enum Command: Codable {
    case say(String)
  }

  func handle(_ command: Command, from sender: Visitor) {
    switch command {
    case .say(let text): say(String(text.prefix(500)), author: sender.displayName ?? "Somebody")
    }
  }
}

extension ChatModel: Restorable {
  var state: [ChatLine] { lines.value }
}

extension Application {
  mutating func addChat() {
    sharedModel("chat") { context in ChatModel(lines: try context.restored() ?? []) }
    screen("chat", page: "chat.html") { context in
      ChatViewModel(chat: context.shared(ChatModel.self, room: context.query["at"] ?? "home"))
    }
  }
}
