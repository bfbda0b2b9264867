// SPDX-License-Identifier: Apache-2.0

/// A quiz at one moment.
struct QuizMoment {
  let game: QuizGame
  let secondsLeft: Int

  var isOpen: Bool { game.question != nil && secondsLeft > 0 }

  /// The answers as somebody sees them: how many chose which is the host's to see before the question is closed.
  func choices(for id: String? = nil) -> [QuizChoice] {
    guard let question = game.question else { return [] }
    let isCounted = !isOpen || (id != nil && id == game.host)
    let own = game.players.first { $0.id == id }?.choice
    return question.choices.indices.map { index in
      let votes = isCounted ? game.players.count { $0.choice == index } : 0
      let row = 10 * game.number + index
      return QuizChoice(
        id: row, text: question.choices[index], isRight: !isOpen && index == question.right,
        isClosed: !isOpen, isCounted: isCounted, answer: index == own ? row : nil, votes: votes,
        share: 100 * votes / max(1, game.answers))
    }
  }

  /// Who plays, and at the end who has how many points.
  var table: [QuizStanding] {
    guard game.question == nil else { return [] }
    let ranked = game.isOver ? game.players.sorted { $0.points > $1.points } : game.players
    return ranked.map { player in
      let place = game.isOver ? 1 + ranked.count { $0.points > player.points } : nil
      return QuizStanding(id: player.name, place: place, points: game.isOver ? player.points : nil)
    }
  }
}

/// Which parts of the page are shown, and their numbers.
package struct QuizScene: Encodable, Equatable {
  /// By what players come, and where the picture of the address is, unless players are not waited for.
  let code, picture: String?
  let isUnhosted, isWaiting, isOpen, isClosed, isOver, cannotGoOn: Bool
  let question: Translations?
  let number, questions, players, answers, secondsLeft: Int

  init(_ moment: QuizMoment, room: String) {
    let game = moment.game
    code = game.code
    isUnhosted = game.host == nil
    isWaiting = game.number < 0 && !isUnhosted
    picture = isWaiting ? "/quiz/code.svg?room=\(room)" : nil
    isOpen = moment.isOpen
    isClosed = game.question != nil && !isOpen
    isOver = game.isOver
    cannotGoOn = isOpen || game.players.isEmpty
    question = game.question?.text
    number = game.number + 1
    questions = QuizQuestion.all.count
    players = game.players.count
    answers = game.answers
    secondsLeft = moment.secondsLeft
  }
}

/// One of the answers, with the bar of those who chose it.
package struct QuizChoice: Encodable, Equatable, Identifiable {
  package let id: Int
  let text: Translations
  let isRight, isClosed, isCounted: Bool
  /// The id, if it is the visitor's own answer.
  let answer: Int?
  let votes, share: Int
}

/// A line of the table; no two players have one name.
package struct QuizStanding: Encodable, Equatable, Identifiable {
  package let id: String
  let place, points: Int?
}
