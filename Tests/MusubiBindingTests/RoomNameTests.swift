// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import Testing

@Suite struct `A private room` {
  @Test func `has a name that an address takes, and no other room has`() {
    let names = (1...1_000).map { _ in RoomName.unguessable() }
    #expect(Set(names).count == 1_000)
    #expect(names.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9_-]{22}/) != nil })
    for place in 0..<22 {
      #expect(Set(names.map { Array($0)[place] }).count > 50, "Each place is drawn.")
    }
  }

  @Test func `is found by its code until that is taken back`() {
    let codes = RoomCodes()
    let (tea, hall) = (codes.code(of: "tea"), codes.code(of: "hall"))
    #expect(tea.wholeMatch(of: /[0-9]{8}/) != nil && tea != hall)
    #expect(codes.code(of: "tea", wanted: "1") == tea)
    #expect(codes.room(of: tea) == "tea")
    #expect(codes.room(of: " \(tea)\n") == "tea")
    codes.remove("tea")
    codes.remove("nowhere")
    #expect(codes.room(of: tea) == nil)
    #expect(codes.room(of: hall) == "hall")
    #expect(codes.room(of: "") == nil)
    #expect(codes.code(of: "attic", wanted: tea) == tea, "As after a restart.")
    #expect(codes.code(of: "cellar", wanted: hall) != hall, "Somebody else has it.")
  }

  @Test func `has a code of at least six digits`() {
    #expect(RoomCodes(digits: 0).code(of: "tea").count == 6)
    let codes = RoomCodes(digits: 6)
    #expect(Set((1...2_000).map { codes.code(of: "room \($0)") }).count == 2_000)
  }
}
