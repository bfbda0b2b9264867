// SPDX-License-Identifier: Apache-2.0

/// The words of the pages, in one language; the names are those of the pages' `{places}`.
struct Words: Sendable {
  /// The language's tag.
  let language: String
  /// The texts by name.
  let texts: [String: String]
  /// The sentence of a problem.
  let sentence: @Sendable (AccountProblem) -> String

  /// The words for a browser.
  ///
  /// - Parameter tags: The languages that it prefers, best first.
  /// - Returns: The first language that Musubi has; else English.
  static func preferred(_ tags: [String]) -> Words {
    for tag in tags {
      switch tag.lowercased().prefix(2) {
      case "ja": return japanese
      case "en": return english
      default: continue
      }
    }
    return english
  }

  static let english = Words(
    language: "en",
    texts: [
      "logInTitle": "Log in", "logInButton": "Log in", "logInLink": "Log in",
      "signUpTitle": "Sign up", "signUpButton": "Sign up", "signUpLink": "No account yet? Sign up.",
      "signUpText": "You get a mail with a link. Its page asks you for a password.",
      "sendLinkButton": "Send the link",
      "forgottenTitle": "Password forgotten", "forgottenLink": "Password forgotten?",
      "forgottenText": "You get a mail with a link. Its page asks you for a new password.",
      "chooseTitle": "Choose a password", "chooseButton": "Set password and log in",
      "confirmTitle": "Confirm your address", "confirmText": "Your account's new address:",
      "confirmButton": "This is my address",
      "accountTitle": "Your account", "loggedInAs": "You are logged in as",
      "logOutButton": "Log out", "logOutEverywhereButton": "Log out everywhere",
      "passwordTitle": "Change the password", "passwordButton": "Change password",
      "passwordText": "All other browsers are logged out then.",
      "addressTitle": "Change the address", "addressButton": "Change address",
      "messageTitle": "Account",
      "addressLabel": "E-mail address", "newAddressLabel": "New e-mail address",
      "nameLabel": "Name, as others see it",
      "passwordLabel": "Password", "oldPasswordLabel": "Current password",
      "passwordWrong": "This is not your password.", "newPasswordLabel": "New password",
      "passwordHint": "At least {minimumLength} characters; several words are best.",
      "linkSent": "If that address is right, a mail is on its way. Its link can be used once.",
      "passwordChanged": "Your password is changed, and all other browsers are logged out.",
      "addressChanged": "Your address is changed.",
      "loggedOut": "You are logged out.", "loggedOutEverywhere": "You are logged out in all browsers.",
    ],
    sentence: { problem in
      switch problem {
      case .addressInvalid: "This is no e-mail address; it looks like ann@example.org."
      case .addressTaken: "This address has an account already."
      case .nameInvalid: "Please enter a name of at most 60 characters."
      case .passwordTooShort(let length): "Please take at least \(length) characters."
      case .passwordUnusable:
        "Please take at most \(PasswordRules.maximumBytes) bytes, and only characters that show."
      case .passwordCommon: "Many would guess this password; please take another one."
      case .credentialsWrong: "Address and password do not belong together."
      case .linkInvalid: "This link was used already, or is too old. Please ask for another one."
      case .notLoggedIn: "Please log in first."
      case .tooMany(let seconds): "Too many attempts. Please try again in \(seconds) seconds."
      case .busy: "The server is busy. Please try again in a moment."
      }
    })

  static let japanese = Words(
    language: "ja",
    texts: [
      "logInTitle": "ログイン", "logInButton": "ログイン", "logInLink": "ログイン",
      "signUpTitle": "アカウント登録", "signUpButton": "登録する", "signUpLink": "アカウントをお持ちでない方は登録へ",
      "signUpText": "リンクの入ったメールをお送りします。リンク先でパスワードを設定してください。",
      "sendLinkButton": "リンクを送る",
      "forgottenTitle": "パスワードを忘れたとき", "forgottenLink": "パスワードを忘れましたか？",
      "forgottenText": "リンクの入ったメールをお送りします。リンク先で新しいパスワードを設定してください。",
      "chooseTitle": "パスワードの設定", "chooseButton": "設定してログイン",
      "confirmTitle": "メールアドレスの確認", "confirmText": "アカウントの新しいメールアドレス：",
      "confirmButton": "自分のアドレスです",
      "accountTitle": "アカウント", "loggedInAs": "ログイン中：",
      "logOutButton": "ログアウト", "logOutEverywhereButton": "すべての端末でログアウト",
      "passwordTitle": "パスワードの変更", "passwordButton": "パスワードを変更",
      "passwordText": "変更すると、ほかのすべてのブラウザーはログアウトされます。",
      "addressTitle": "メールアドレスの変更", "addressButton": "アドレスを変更",
      "messageTitle": "アカウント",
      "addressLabel": "メールアドレス", "newAddressLabel": "新しいメールアドレス",
      "nameLabel": "ほかの人に見える名前",
      "passwordLabel": "パスワード", "oldPasswordLabel": "今のパスワード",
      "passwordWrong": "パスワードが違います。", "newPasswordLabel": "新しいパスワード",
      "passwordHint": "{minimumLength}文字以上。いくつかの言葉を組み合わせるのがおすすめです。",
      "linkSent": "アドレスが正しければ、まもなくメールが届きます。リンクは一度だけ使えます。",
      "passwordChanged": "パスワードを変更し、ほかのブラウザーをすべてログアウトしました。",
      "addressChanged": "メールアドレスを変更しました。",
      "loggedOut": "ログアウトしました。", "loggedOutEverywhere": "すべてのブラウザーでログアウトしました。",
    ],
    sentence: { problem in
      switch problem {
      case .addressInvalid: "メールアドレスの形になっていません（例：ann@example.org）。"
      case .addressTaken: "このアドレスのアカウントはすでにあります。"
      case .nameInvalid: "60文字以内の名前を入力してください。"
      case .passwordTooShort(let length): "\(length)文字以上にしてください。"
      case .passwordUnusable: "\(PasswordRules.maximumBytes)バイト以内で、目に見える文字だけを使ってください。"
      case .passwordCommon: "推測されやすいパスワードです。別のものにしてください。"
      case .credentialsWrong: "メールアドレスとパスワードの組み合わせが正しくありません。"
      case .linkInvalid: "このリンクは使用済みか、期限切れです。もう一度お申し込みください。"
      case .notLoggedIn: "先にログインしてください。"
      case .tooMany(let seconds): "回数が多すぎます。\(seconds)秒後にもう一度お試しください。"
      case .busy: "サーバーが混み合っています。少し待ってからもう一度お試しください。"
      }
    })
}
