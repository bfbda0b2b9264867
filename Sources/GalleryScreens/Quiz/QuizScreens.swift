// SPDX-License-Identifier: Apache-2.0
import GalleryModel
import Musubi

/// The way to a quiz (`Public/play.html`), and the quiz itself (`Public/quiz.html`), a room that its code names.
enum QuizScreens {
  static func add(to application: inout Application) {
    application.screen("play", page: "play.html") { context in
      PlayViewModel(
        code: try context.restored() ?? (0..<8).map { _ in "\(context.random.next() % 10)" }.joined())
    }
    application.screen("quiz", scope: .room(default: "none"), page: "quiz.html", for: .signedIn) { context in
      QuizViewModel(code: context.room ?? "", clock: context.clock, state: try context.restored())
    }
    QuizPicture.add(to: &application)
  }
}
