// SPDX-License-Identifier: Apache-2.0
import GalleryAPI
import GalleryModel

/// How problems with the contents look, in the visitor's language.
struct ContentsTexts: ContentsResources {
  let language: Language

  func text(of problem: ContentsError.Kind) -> String {
    language.text(of: translations(of: problem))
  }

  func translations(of problem: ContentsError.Kind) -> Translations {
    Translations(en: english(problem), ja: japanese(problem))
  }

  func colour(of problem: ContentsError.Kind) -> String {
    switch problem {
    case .empty, .tooLong, .notFound: "notice"
    case .busy: "warning"
    case .diskFull, .damaged, .closed, .unavailable: "danger"
    }
  }

  private func english(_ problem: ContentsError.Kind) -> String {
    switch problem {
    case .empty(let field): "The \(field.rawValue) is empty. Write something first."
    case .tooLong(let field, let limit):
      "The \(field.rawValue) has more than \(limit) characters. Shorten it."
    case .notFound: "This entry has gone."
    case .busy: "The database is busy. Nothing was lost: try again."
    case .diskFull: "The disk is full. Nothing was lost: try again later."
    case .damaged, .closed, .unavailable: "The entries cannot be reached. Nothing was lost: try again later."
    }
  }

  private func japanese(_ problem: ContentsError.Kind) -> String {
    switch problem {
    case .empty(let field): "\(name(field))が空です。入力してください。"
    case .tooLong(let field, let limit): "\(name(field))は\(limit)文字までです。短くしてください。"
    case .notFound: "この投稿はもうありません。"
    case .busy: "データベースが混み合っています。入力は残っています。もう一度お試しください。"
    case .diskFull: "ディスクがいっぱいです。入力は残っています。後でお試しください。"
    case .damaged, .closed, .unavailable: "投稿を読み書きできません。入力は残っています。後でお試しください。"
    }
  }

  private func name(_ field: ContentsError.Field) -> String {
    switch field {
    case .title: "題名"
    case .text: "本文"
    case .author: "名前"
    case .idempotencyKey: "番号"
    }
  }
}
