import MusubiRx
import MusubiTesting
import Testing

@testable import GuideExamples

@Suite struct `Chores` {
  private let book = ChoreBook()
  private let scheduler = TestScheduler(initialClock: 0)

  @Test func `open the page of the chore whose row was tapped, and of no other`() {
    book.add("Sweep")
    book.add("Cook")
    let open = PublishRelay<Chore.ID>()
    let outputs = ChoresViewModel(book: book).bind(ChoresViewModel.Inputs(open: open.asSignal()))
    let detail = scheduler.record(outputs.detail.map(\.chore.title))

    open.accept(1)
    open.accept(99)

    #expect(detail.events.map(\.value) == [.next("Sweep")])
  }

  @Test func `are marked by what the board's rows send`() throws {
    book.add("Sweep")
    let screen = try TestScreen { BoardView(book: book) }

    try screen.tap("toggle", row: "1")
    #expect(book.chore(1)?.isDone == true)

    try screen.tap("remove", row: "1")
    #expect(screen["chores"] == "[]")
  }

  @Test func `go where somebody puts them on the board`() throws {
    for title in ["Sweep", "Cook", "Wash"] { book.add(title) }
    let screen = try TestScreen { BoardView(book: book) }
    var ids: [Chore.ID] = []
    let subscription = book.chores.subscribe(onNext: { ids = $0.map(\.id) })
    defer { subscription.dispose() }

    try screen.drag("move", row: "3", before: "1", list: "chores")
    #expect(ids == [2, 3, 1])

    try screen.drag("move", row: "2", list: "chores")
    #expect(ids == [3, 1, 2])
  }

  @Test func `are deleted together when they are selected`() throws {
    for title in ["Sweep", "Cook", "Wash"] { book.add(title) }
    let screen = try TestScreen { ChoresViewModel(book: book) }
    try screen.send([1, 3], to: "selected")
    #expect(screen["selected"] == "[1,3]")

    try screen.tap("deleteSelected")

    #expect(screen["summary"] == "1 to do")
    #expect(screen["selected"] == "[]")
  }

  @Test func `are deleted only after the question was answered`() {
    book.add("Sweep")
    let delete = PublishRelay<Chore.ID>()
    let confirm = PublishRelay<Chore.ID>()
    let viewModel = ChoresViewModel(book: book)
    let outputs = viewModel.bind(
      ChoresViewModel.Inputs(delete: delete.asSignal(), confirmDelete: confirm.asSignal()))
    let question = scheduler.record(outputs.askDelete.map(\.title))

    delete.accept(1)
    #expect(question.events.map(\.value) == [.next("Sweep")])
    #expect(book.chore(1) != nil)

    confirm.accept(1)
    #expect(book.chore(1) == nil)
  }
}
