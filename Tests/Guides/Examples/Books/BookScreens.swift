import Musubi

extension BooksViewModel: InputOutputViewModel {}
extension BookViewModel: InputOutputViewModel {}

extension Application {
  mutating func addBooks() {
    screen("books", page: "books.html") { context in
      BooksViewModel(shelf: context.query["shelf"], word: context.query["word"])
    }
    screen(
      "book", path: "/books/<id>", page: "book.html",
      address: { (viewModel: BookViewModel) in "/books/\(viewModel.book.id)" },
      example: { BookViewModel(book: BooksViewModel.books[0], chapter: nil) },
      make: { context in
        guard let book = BooksViewModel.books.first(where: { "\($0.id)" == context.parameters["id"] }) else {
          throw ScreenNotFound()
        }
        return BookViewModel(book: book, chapter: context.query["chapter"].flatMap(Int.init))
      })
  }
}
