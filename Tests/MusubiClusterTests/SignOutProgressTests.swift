// SPDX-License-Identifier: Apache-2.0
import MusubiCluster
import MusubiSession
import MusubiStorage
import Testing

@Suite struct `How far a node has ended sessions` {
  private func signOut(_ number: Int, _ identity: String = "ann", logIn: String? = nil) -> DirectorySignOut {
    DirectorySignOut(number: number, who: SignedOut(identity, logIn: logIn))
  }

  private func slot(knowing signOuts: Int) -> LoadedSlot {
    let entry = { (peer: String) in
      StoredEntry(label: RecordLabel(slot: 3, peer: peer), bytes: 1, left: nil)
    }
    return LoadedSlot(
      fence: PostgresFence(generation: 1, commits: 0), lostSince: 0, signOuts: signOuts,
      state: StoredState(
        rooms: [:], sessions: ["a": entry("i:ann"), "b": entry("i:bob"), "c": entry("a:ann")])
    )
  }

  @Test func `is told when all loops have, in the order of the sign-outs`() {
    var progress = SignOutProgress(after: 4)
    #expect(progress.untold == nil)
    progress.hear([signOut(6), signOut(9)], loops: 2)
    #expect(progress.untold == 5)
    progress.tell(5)
    progress.loopEnded(9)
    progress.loopEnded(9)
    progress.loopEnded(6)
    #expect(progress.untold == nil, "A loop still has sessions of the earlier one.")
    progress.loopEnded(6)
    #expect(progress.untold == 9)
    progress.tell(9)
    #expect(progress.untold == nil)
  }

  @Test func `counts for slots that were being read meanwhile`() {
    var progress = SignOutProgress()
    progress.hear([signOut(1, "bob")], loops: 1)
    progress.beginReading()
    progress.hear([signOut(2), signOut(3, "bob", logIn: "phone")], loops: 1)
    progress.beginReading()
    let early = progress.endReading([3: slot(knowing: 1)])
    #expect(early[3]?.state.signedOut == ["a"], "Neither an address of that name, nor a log-in's.")
    let late = progress.endReading([3: slot(knowing: 2)])
    #expect(late[3]?.state.signedOut == [])

    progress.beginReading()
    #expect(progress.endReading([3: slot(knowing: 0)])[3]?.state.signedOut == [])
  }
}
