// SPDX-License-Identifier: Apache-2.0

/// A question and its possible answers.
struct QuizQuestion {
  let text: Translations
  let choices: [Translations]
  /// Which choice is the right one.
  let right: Int

  private init(_ en: String, _ ja: String, right: Int, _ choices: [(en: String, ja: String)]) {
    text = Translations(en: en, ja: ja)
    self.right = right
    self.choices = choices.map { Translations(en: $0.en, ja: $0.ja) }
  }

  /// The questions of every quiz.
  static let all: [QuizQuestion] = [
    QuizQuestion(
      "What does “musubi” mean?", "「結び」とは何でしょう。", right: 1,
      [("A bridge", "橋"), ("A knot", "紐などの結び目"), ("A mirror", "鏡"), ("A lantern", "提灯")]),
    QuizQuestion(
      "Which planet has the shortest day?", "一日がいちばん短い惑星はどれですか。", right: 2,
      [("Mercury", "水星"), ("Earth", "地球"), ("Jupiter", "木星"), ("Neptune", "海王星")]),
    QuizQuestion(
      "How many hearts does an octopus have?", "タコの心臓はいくつありますか。", right: 2,
      [("One", "1つ"), ("Two", "2つ"), ("Three", "3つ"), ("Eight", "8つ")]),
    QuizQuestion(
      "Which knot makes a loop at the end of a rope that does not slip?", "ロープの端に、締まらない輪を作る結び方はどれですか。",
      right: 0,
      [
        ("Bowline", "もやい結び"), ("Clove hitch", "巻き結び"), ("Sheet bend", "一重つなぎ"),
        ("Figure eight", "八の字結び"),
      ]),
    QuizQuestion(
      "What freezes at the lowest temperature?", "いちばん低い温度で凍るものはどれですか。", right: 3,
      [("Milk", "牛乳"), ("Sea water", "海水"), ("Mercury", "水銀"), ("Alcohol", "アルコール")]),
  ]
}
