// SPDX-License-Identifier: Apache-2.0
import struct Foundation.Date

/// A quiz, its players and their answers: a plain value that is told the time.
package struct QuizGame: Codable, Equatable {
  struct Player: Codable, Equatable {
    let id, name: String
    var points = 0
    /// The answer to this question; the last one counts.
    var choice: Int?
    /// The points for it, if it is right: more for who is quick.
    var reward = 0
  }

  /// Who asks; nil if nobody does.
  private(set) var host: String?
  /// By what players find the quiz while somebody hosts it.
  var code: String?
  private(set) var players: [Player] = []
  /// The question; -1 before the first one.
  private(set) var number = -1
  private(set) var closesAt = Date.distantPast

  static let seconds = 20
  private static let maxPlayers = 500
  private static let maxNameLength = 40

  var isOver: Bool { number == QuizQuestion.all.count }
  var question: QuizQuestion? { number < 0 || isOver ? nil : QuizQuestion.all[number] }
  var answers: Int { players.count { $0.choice != nil } }

  func isPlayed(by id: String) -> Bool { players.contains { $0.id == id } }

  mutating func invite(_ id: String) -> QuizProblem? {
    guard host == nil else { return .hosted }
    self = QuizGame()
    host = id
    return nil
  }

  mutating func join(_ id: String, as typed: String) -> QuizProblem? {
    let name = typed.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard host != nil else { return .unhosted }
    guard !name.isEmpty else { return .nameless }
    // A character may consist of any number of bytes.
    guard max(name.count, name.utf8.count / 8) <= Self.maxNameLength else { return .longName }
    guard !players.contains(where: { $0.name.lowercased() == name.lowercased() }) else { return .takenName }
    guard players.count < Self.maxPlayers else { return .full }
    players.append(Player(id: id, name: name))
    return nil
  }

  /// A player goes; if it is the host, the quiz is over and somebody else may begin one.
  mutating func leave(_ id: String, _ now: Date) -> QuizProblem? {
    players.removeAll { $0.id == id }
    if id == host { (host, number, closesAt) = (nil, QuizQuestion.all.count, now) }
    closeIfComplete(now)
    return nil
  }

  /// Asks the next question, unless one is open; behind the last one comes the table, then a quiz from its beginning.
  mutating func next(_ now: Date) -> QuizProblem? {
    guard !players.isEmpty else { return .alone }
    guard now >= closesAt else { return nil }
    let isAgain = isOver
    for place in players.indices {
      let isRight = question.map { $0.right == players[place].choice } ?? false
      players[place].points = isAgain ? 0 : players[place].points + (isRight ? players[place].reward : 0)
      players[place].choice = nil
    }
    number = isAgain ? -1 : number + 1
    closesAt = question == nil ? now : now.addingTimeInterval(Double(Self.seconds))
    return nil
  }

  /// Takes the answer that a row stands for.
  mutating func answer(_ id: String, row: Int, _ now: Date) -> QuizProblem? {
    guard row / 10 == number, now < closesAt else { return .late }
    guard let place = players.firstIndex(where: { $0.id == id }) else { return nil }
    players[place].choice = row % 10
    players[place].reward = 10 + Int(closesAt.timeIntervalSince(now))
    closeIfComplete(now)
    return nil
  }

  private mutating func closeIfComplete(_ now: Date) {
    if answers == players.count { closesAt = min(closesAt, now) }
  }
}
