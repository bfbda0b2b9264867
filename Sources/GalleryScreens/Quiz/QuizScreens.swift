// SPDX-License-Identifier: Apache-2.0
import GalleryAPI
import GalleryModel
import Musubi

/// The ways to a quiz (`Public/play.html`), and the quiz itself (`Public/quiz.html`).
enum QuizScreens {
  static func add(to application: inout Application, _ tables: GalleryTables?) {
    let (codes, attempts) = (QuizCodes(tables), RequestThrottle())
    application.screen("quiz", scope: .room(default: "none"), page: "quiz.html", for: .signedIn) { context in
      QuizViewModel(
        room: context.room ?? "", codes: codes, clock: context.clock, state: try context.restored())
    }
    application.get("/play") { _ in try .redirect(to: "/play.html") }
    application.get("/quiz/new") { _ in try .redirect(to: "/quiz?room=\(RoomName.unguessable())") }
    application.post("/quiz/join", maxBodyBytes: 1_024) { request in
      guard attempts.admit(request) == nil else { return try .redirect(to: "/play.html#wait") }
      let code = try request.form["code"] ?? ""
      // Neither who has found a room has guessed, nor who could not be told.
      var isNoGuess = true
      defer { if isNoGuess { attempts.giveBack(request) } }
      let room = try await GalleryTables.reached { try await codes.room(of: code) }
      isNoGuess = room != nil
      return try .redirect(to: room.map { "/quiz?room=\($0)" } ?? "/play.html#unknown")
    }
    application.get("/quiz/code.svg") { request in
      guard let room = request.query["room"], room.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil else {
        throw HTTPError(404, "No quiz has this address. このアドレスのクイズはありません。")
      }
      return try QRPicture.response(to: request, path: "/quiz?room=\(room)")
    }
  }
}
