// SPDX-License-Identifier: Apache-2.0
import GalleryModel
import MusubiRx
import MusubiTesting
import Testing

@Suite struct `The note's ViewModel` {
  private let presence = PublishSubject<NoteViewModel.Presence>()
  private let scheduler = TestScheduler(initialClock: 0)
  private let viewModel: NoteViewModel

  init() {
    viewModel = NoteViewModel(presence: presence.asObservable(), scheduler: scheduler) { _ in 0 }
  }

  private func tell(_ page: Int, _ isConnected: Bool) {
    presence.onNext(NoteViewModel.Presence(page: page, isConnected: isConnected))
  }

  @Test func `names everybody differently`() {
    tell(1, true)
    #expect(viewModel.people.value == "1 person: Badger")

    tell(2, true)
    #expect(viewModel.people.value == "2 people: Badger, Bear")
    #expect(viewModel.peopleInJapanese.value == "2人：アナグマ、クマ")
  }

  @Test func `names the thirty-first a guest, in both languages`() {
    for page in 1...31 { tell(page, true) }

    #expect(viewModel.people.value.hasSuffix(", Guest 31"))
    #expect(viewModel.peopleInJapanese.value.hasSuffix("、ゲスト31"))
  }

  @Test func `keeps the name of a page that comes back in time`() {
    tell(1, true)
    tell(2, true)
    tell(1, false)
    scheduler.advanceTo(4)
    tell(1, true)

    scheduler.advanceTo(20)

    #expect(viewModel.people.value == "2 people: Badger, Bear")
  }

  @Test func `lets a page go that stays away, and knows its name when it returns`() {
    tell(1, true)
    tell(2, true)
    tell(1, false)

    scheduler.advanceTo(6)
    #expect(viewModel.people.value == "1 person: Bear")

    tell(1, true)
    #expect(viewModel.people.value == "2 people: Badger, Bear")
  }

  @Test func `has names for more people than there are animals`() {
    for page in 1...40 { tell(page, true) }

    #expect(viewModel.people.value.hasPrefix("40 people: Badger"))
    #expect(Set(viewModel.people.value.split(separator: ", ")).count == 40)
  }
}
