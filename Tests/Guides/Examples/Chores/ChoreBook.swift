import MusubiRx
import Synchronization

/// The chores of everybody, one instance for all screens on all loops.
final class ChoreBook: Sendable {
  private let list = SharedRelay<[Chore]>(value: [])
  /// The id that was given last; its lock keeps changes from different loops apart.
  private let lastID = Mutex(0)

  /// The chores, now and after each change.
  var chores: Observable<[Chore]> { list.asObservable() }

  /// The chore of an id; nil if there is none.
  func chore(_ id: Chore.ID) -> Chore? { list.value?.first { $0.id == id } }

  /// Adds a chore in front.
  func add(_ title: String) {
    change { chores, lastID in
      lastID += 1
      chores.insert(Chore(id: lastID, title: title), at: 0)
    }
  }

  /// Marks a chore as done, or as not done.
  func toggle(_ id: Chore.ID) {
    change { chores, _ in
      guard let index = chores.firstIndex(where: { $0.id == id }) else { return }
      chores[index].isDone.toggle()
    }
  }

  /// Sets whether a chore is done.
  func mark(_ id: Chore.ID, isDone: Bool) {
    if chore(id)?.isDone != isDone { toggle(id) }
  }

  /// Writes a chore's note.
  func write(_ note: String, into id: Chore.ID) {
    change { chores, _ in
      guard let index = chores.firstIndex(where: { $0.id == id }) else { return }
      chores[index].note = note
    }
  }

  /// Takes a chore away.
  func remove(_ id: Chore.ID) {
    change { chores, _ in chores.removeAll { $0.id == id } }
  }

  private func change(_ body: (inout [Chore], inout Chore.ID) -> Void) {
    lastID.withLock { lastID in
      var chores = list.value ?? []
      body(&chores, &lastID)
      list.accept(chores)
    }
  }
}
