import Musubi

extension GuestbookModel: ObservableViewModel {
  static var bindings: [PageBinding<GuestbookModel>] {
    [
      .field("text", \.text),
      .output("entries", \.entries),
      .output("cannotSign", \.cannotSign),
      .action("sign", running: "signing", failure: "problem") { model in
        try await model.sign(key: Effect.currentKey ?? "")
      },
    ]
  }
}

extension Application {
  mutating func addGuestbook(_ book: Guestbook) {
    screen("guestbook", page: "guestbook.html") { _ in GuestbookModel(book: book) }
  }
}
