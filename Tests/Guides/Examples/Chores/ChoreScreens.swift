import Musubi

extension ChoresViewModel: InputOutputViewModel {}
extension ChoreViewModel: InputOutputViewModel {}
extension DeleteQuestion: DialogContent {}

extension Application {
  mutating func addChores(book: ChoreBook) {
    screen("chores", page: "chores.html") { _ in ChoresViewModel(book: book) }
    screen("board", scope: .room, page: "board.html") { _ in BoardView(book: book) }
    screen(
      "chore", path: "/chores/<id>", page: "chore.html",
      address: { (viewModel: ChoreViewModel) in "/chores/\(viewModel.chore.id)" },
      example: { ChoreViewModel(chore: Chore(id: 1, title: "An example"), book: book) },
      make: { context in
        guard let id = context.parameters["id"].flatMap(Int.init), let chore = book.chore(id) else {
          throw ScreenNotFound()
        }
        return ChoreViewModel(chore: chore, book: book)
      })
  }
}
