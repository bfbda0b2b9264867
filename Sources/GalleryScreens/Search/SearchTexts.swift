// SPDX-License-Identifier: Apache-2.0
import GalleryModel

/// How problems of a search look.
struct SearchTexts {
  let language: Language

  func text(of problem: SearchProblem) -> String { language.text(of: translations(of: problem)) }

  func translations(of problem: SearchProblem) -> Translations {
    switch problem {
    case .unreachable:
      Translations(
        en: "The encyclopedia cannot be reached. Type on to try again.",
        ja: "百科事典に接続できません。入力を続けると、もう一度検索します。")
    case .badAnswer:
      Translations(
        en: "The encyclopedia gave an answer that cannot be read. Type on to try again.",
        ja: "百科事典の応答を読み取れません。入力を続けると、もう一度検索します。")
    case .failed:
      Translations(
        en: "The search failed. Type on to try again.", ja: "検索できませんでした。入力を続けると、もう一度検索します。")
    }
  }
}
