import MusubiRx
import Synchronization

/// The chores of everybody, one instance for all screens on all loops.
final class ChoreBook: Sendable {
  private let list = SharedRelay<[Chore]>(value: [])
  /// The id that was given last.
  private let lastID = Atomic(0)

  /// The chores, now and after each change.
  var chores: Observable<[Chore]> { list.asObservable() }

  /// The chore of an id; nil if there is none.
  func chore(_ id: Chore.ID) -> Chore? { list.value?[id: id] }

  /// Adds a chore in front.
  func add(_ title: String) {
    let id = lastID.add(1, ordering: .relaxed).newValue
    // Reads, changes and writes in one step: another loop may be about to write as well.
    list.update { $0.insert(Chore(id: id, title: title), at: 0) }
  }

  /// Marks a chore as done, or as not done.
  func toggle(_ id: Chore.ID) {
    list.update { $0[id: id]?.isDone.toggle() }
  }

  /// Sets whether a chore is done.
  func mark(_ id: Chore.ID, isDone: Bool) {
    list.update { $0[id: id]?.isDone = isDone }
  }

  /// Writes a chore's note.
  func write(_ note: String, into id: Chore.ID) {
    list.update { $0[id: id]?.note = note }
  }

  /// Takes a chore away.
  func remove(_ id: Chore.ID) {
    list.update { $0[id: id] = nil }
  }

  /// Puts a chore elsewhere.
  func move(_ move: RowMove<Chore.ID>) {
    list.update { chores in chores.apply(move) }
  }
}
