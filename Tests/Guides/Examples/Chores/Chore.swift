/// Something to be done.
struct Chore: Identifiable, Codable, Equatable {
  /// Names it among all.
  let id: Int
  /// The task.
  var title: String
  /// Whether it is done.
  var isDone = false
  /// A remark; people edit it in the list.
  var note = ""
}
