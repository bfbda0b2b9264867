// SPDX-License-Identifier: Apache-2.0
import Dispatch
import MusubiServer
import MusubiSession
import MusubiStorage
import Synchronization

/// Reading what is stored in slots that the node has taken, until its loops serve them.
extension ClusterNode {
  /// So many slots are read by one statement, so that the beats go on.
  private static let slotsOfALoad = 256

  /// Reads slots part by part, each as a work of the queue of its own, so that the beats go on.
  func load(_ slots: [Int], _ state: inout State) {
    let known = slots.map { (slot: $0, generation: state.ownership.generation(of: $0)) }
    let parts = stride(from: 0, to: known.count, by: Self.slotsOfALoad).map { start in
      Array(known[start..<min(start + Self.slotsOfALoad, known.count)])
    }
    queue.async { [self] in load(parts[...]) }
  }

  private func load(_ parts: ArraySlice<[(slot: Int, generation: Int?)]>) {
    guard let first = parts.first else { return }
    state.withLock { state in
      // Some may have gone meanwhile, and come again.
      let part = first.filter { state.ownership.isLoading($0.slot, in: $0.generation) }.map(\.slot)
      if !part.isEmpty, !state.hasEnded { loadNow(part, &state) }
    }
    queue.async { [self] in load(parts.dropFirst()) }
  }

  private func loadNow(_ part: [Int], _ state: inout State) {
    var loaded: [Int: LoadedSlot] = [:]
    guard attempt("load", { loaded = try state.directory.load(part) }) else {
      return state.ownership.notLoaded(part)
    }
    state.ownership.notLoaded(part.filter { loaded[$0] == nil })
    for message in state.directory.unreadable where state.unreadable.insert(message).inserted {
      logger.log(.error, "unreadable", ["message": message, "consequence": "it is left out"])
    }
    for input in loaded.values.flatMap(\.struck) {
      logger.log(
        .error, "input refused",
        [
          "session": String(input.session.prefix(6)), "input": "\(input.number)",
          "reason": "two nodes in succession have ended while they ran it",
        ])
    }
    for (slot, problem) in state.directory.unsettled
    where state.unreadable.insert("\(slot): \(problem)").inserted {
      logger.log(
        .error, "slot not served",
        ["slot": "\(slot)", "message": problem, "consequence": "its pages wait until this can be read"])
    }
    readAhead(Array(loaded.keys), &state)
    state.signOuts.beginReading()
    let mine = loaded
    Task { [self] in
      await store.own(mine.mapValues(\.fence))
      queue.async { [self] in serve(mine) }
    }
  }

  /// Reads what pages that come back ask for at once, if there is space for it.
  private func readAhead(_ slots: [Int], _ state: inout State) {
    var records: [RecordText] = []
    // One that is not read now is read when its page asks for it.
    if store.readsAhead, !slots.isEmpty {
      attempt("read ahead") { records = try state.directory.ahead(of: slots) }
    }
    store.know(records, of: slots)
  }

  /// Has the loops serve slots whose commits the store writes from now on.
  private func serve(_ slots: [Int: LoadedSlot]) {
    let slots = state.withLock { state in
      state.ownership.loaded(slots.mapValues(\.fence.generation))
      note(&state)
      return state.signOuts.endReading(slots)
    }
    for loop in 0..<entry.loops {
      let part = slots.filter { $0.key % entry.loops == loop }.sorted { $0.key < $1.key }
      guard !part.isEmpty else { continue }
      mailboxes.run(on: loop) { gateway in
        for (slot, content) in part { gateway.adopt(slot, content.state, content.move) }
      }
    }
  }
}
