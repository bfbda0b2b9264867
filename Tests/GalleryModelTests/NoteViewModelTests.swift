// SPDX-License-Identifier: Apache-2.0
import GalleryModel
import MusubiBinding
import MusubiRx
import Testing

@Suite struct `The note's ViewModel` {
  private let presence = BehaviorRelay(value: Presence.nobody)
  private let viewModel: NoteViewModel

  init() {
    viewModel = NoteViewModel(presence: presence.asDriver()) { _ in 0 }
  }

  private func show(_ ids: Int...) { presence.accept(Presence(ids.map { Presence.Person(id: "\($0)") })) }

  @Test func `names everybody differently`() {
    show(1)
    #expect(viewModel.people.value == "1 person: Badger")

    show(1, 2)
    #expect(viewModel.people.value == "2 people: Badger, Bear")
    #expect(viewModel.peopleInJapanese.value == "2人：アナグマ、クマ")
  }

  @Test func `calls people by their own names if they have one`() {
    let ann = Presence.Person(id: "1", visitor: Visitor(id: "a", displayName: "Ann"), typing: "text")
    presence.accept(Presence([ann, Presence.Person(id: "2", isIdle: true)]))

    #expect(viewModel.people.value == "2 people: Ann, Badger")
    #expect(viewModel.peopleInJapanese.value == "2人：Ann、アナグマ")
    #expect(viewModel.writers.value.map(\.isTyping) == [true, false])
    #expect(viewModel.writers.value.map(\.isIdle) == [false, true])
  }

  @Test func `names the thirty-first a guest, in both languages`() {
    presence.accept(Presence((1...31).map { Presence.Person(id: "\($0)") }))

    #expect(viewModel.people.value.hasSuffix(", Guest 31"))
    #expect(viewModel.peopleInJapanese.value.hasSuffix("、ゲスト31"))
  }

  @Test func `knows the name of somebody who comes back`() {
    show(1, 2)
    show(2)
    #expect(viewModel.people.value == "1 person: Bear")

    show(2, 1)
    #expect(viewModel.people.value == "2 people: Bear, Badger")
    #expect(viewModel.names == ["1": "Badger", "2": "Bear"])
  }

  @Test func `has names for more people than there are animals`() {
    presence.accept(Presence((1...40).map { Presence.Person(id: "\($0)") }, count: 50))

    #expect(viewModel.people.value.hasPrefix("50 people: Badger"))
    #expect(viewModel.people.value.hasSuffix(", …"))
    #expect(Set(viewModel.writers.value.map(\.name)).count == 40)
  }
}
