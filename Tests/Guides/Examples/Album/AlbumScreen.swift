import Musubi

extension AlbumViewModel: InputOutputViewModel, Restorable {}

extension Application {
  mutating func addAlbum() {
    screen("album", page: "album.html") { context in
      AlbumViewModel(context, stored: try context.restored()) { _ in
        try await Task.sleep(for: .milliseconds(300))
      }
    }
  }
}
