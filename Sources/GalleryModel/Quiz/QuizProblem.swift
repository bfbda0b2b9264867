// SPDX-License-Identifier: Apache-2.0
import MusubiBinding

/// Why something in a quiz does not work: a dialog for who tried it.
package struct QuizProblem: DialogContent, Equatable {
  let text: Translations

  private init(_ en: String, _ ja: String) { text = Translations(en: en, ja: ja) }

  static let hosted = Self("Somebody hosts this quiz already.", "このクイズにはもう司会者がいます。")
  static let unhosted = Self(
    "Nobody hosts this quiz. Compare the code with the host's screen.", "このクイズには司会者がいません。コードを確かめてください。")
  static let nameless = Self("Choose a name first.", "先に名前を入力してください。")
  static let longName = Self("Choose a name of at most 40 characters.", "名前は40文字までにしてください。")
  static let takenName = Self(
    "Somebody here has this name already. Choose another one.", "この名前はもう使われています。別の名前にしてください。")
  static let full = Self("This quiz is full.", "このクイズは満員です。")
  static let late = Self("Time was up before your answer came.", "回答が届く前に、時間切れになりました。")
  static let alone = Self("Nobody has joined yet.", "まだ参加者がいません。")
}
