/// Something to be done.
struct Chore: Identifiable, Codable, Equatable {
  /// Names it among all.
  let id: Int
  /// What is to be done.
  var title: String
  /// Whether it is done.
  var isDone = false
}
