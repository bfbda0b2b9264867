import MusubiRx

/// A line of a chat.
struct ChatLine: Identifiable, Codable, Equatable {
  let id: Int
  let author: String
  let text: String
}

/// A chat that everybody in it shares: the newest lines.
final class ChatModel {
  let lines: BehaviorRelay<[ChatLine]>
  private var list: AppendOnlyList<ChatLine>

  init(lines: [ChatLine] = []) {
    list = AppendOnlyList(lines, limit: 20)
    self.lines = BehaviorRelay(value: list.lines)
  }

  func say(_ text: String, author: String) {
    list.append { id in ChatLine(id: id, author: author, text: text) }
    lines.accept(list.lines)
  }
}
