/// Something to be done.
struct Chore: Identifiable, Codable, Equatable {
  /// Names it among all.
  let id: Int
  /// What is to be done.
  var title: String
  /// Whether it is done.
  var isDone = false
  /// What else is to be said; people edit it in the list.
  var note = ""
}
