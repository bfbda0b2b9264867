import Musubi

extension LetterViewModel: InputOutputViewModel {}

extension Application {
  mutating func addLetter() {
    screen("letter", scope: .room, page: "letter.html") { context in
      LetterViewModel(presence: context.presence)
    }
  }
}
