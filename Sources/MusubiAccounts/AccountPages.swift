// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi

/// The pages of accounts: HTML with places, in the browser's language.
struct AccountPages: Sendable {
  /// A page, by its file's name.
  enum Name: String, CaseIterable, Sendable {
    case logIn = "log-in"
    case signUp = "sign-up"
    case requestSignUp = "request-sign-up"
    case forgotten
    case choosePassword = "choose-password"
    case confirmAddress = "confirm-address"
    case account
    case message

    fileprivate var builtIn: [UInt8] {
      switch self {
      case .logIn: PackageResources.log_in_html
      case .signUp: PackageResources.sign_up_html
      case .requestSignUp: PackageResources.request_sign_up_html
      case .forgotten: PackageResources.forgotten_html
      case .choosePassword: PackageResources.choose_password_html
      case .confirmAddress: PackageResources.confirm_address_html
      case .account: PackageResources.account_html
      case .message: PackageResources.message_html
      }
    }
  }

  /// What a page shows besides its words.
  struct Content: Sendable {
    /// What was typed, and what else the page tells, by place.
    var values: [String: String] = [:]
    /// The sentences next to fields, by field.
    var problems: [String: String] = [:]
    /// What is wrong with the whole.
    var problem: String?
    /// What has been done.
    var note: String?
  }

  private let templates: [Name: PageTemplate]
  private let minimumLength: Int
  /// Whether there is a page to sign up.
  private let allowsSignUp: Bool
  /// Whether there is a page for a forgotten password.
  private let sendsLinks: Bool

  /// The pages: of the public folder's `accounts/`, or else Musubi's own.
  ///
  /// - Parameters:
  ///   - folder: The public folder.
  ///   - accounts: Says which links the pages have.
  /// - Throws: `AccountPageError` if a page of the folder has an unknown place, or cannot be read.
  init(publicFolder folder: String, for accounts: Accounts) throws {
    (minimumLength, allowsSignUp) = (accounts.passwordRules.minimumLength, accounts.allowsSignUp)
    sendsLinks = accounts.sendsLinks
    templates = try Dictionary(
      uniqueKeysWithValues: Name.allCases.map { name in
        let builtIn = PageTemplate(String(decoding: name.builtIn, as: UTF8.self))
        let path = "\(folder)/accounts/\(name.rawValue).html"
        guard FileManager.default.fileExists(atPath: path) else { return (name, builtIn) }
        let template = PageTemplate(try String(contentsOfFile: path, encoding: .utf8))
        let known = builtIn.places.union(Words.english.texts.keys).union(Self.everywhere)
        if let place = template.places.subtracting(known).min() {
          throw AccountPageError(path: path, place: place)
        }
        return (name, template)
      })
  }

  private static let everywhere: Set<String> = ["language", "note", "problem", "minimumLength"]

  /// A page as HTML.
  ///
  /// - Parameters:
  ///   - name: Which one.
  ///   - words: Its language.
  ///   - content: What it shows.
  /// - Returns: The page.
  func html(_ name: Name, _ words: Words, _ content: Content) -> String {
    templates[name]?.filled { place in text(at: place, words, content) } ?? ""
  }

  private func text(at place: String, _ words: Words, _ content: Content) -> PageText? {
    switch place {
    case "language": return PageText(words.language)
    case "minimumLength": return PageText("\(minimumLength)")
    case "note": return content.note.map { Self.paragraph($0, #"class="note" role="status""#) }
    case "problem": return content.problem.map { Self.paragraph($0, #"class="problem" role="alert""#) }
    case "sign-up-link":
      return allowsSignUp ? Self.link(AccountPaths.signUp, "signUpLink", words, content) : nil
    case "forgotten-link":
      return sendsLinks ? Self.link(AccountPaths.forgotten, "forgottenLink", words, content) : nil
    case "next-in-address": return PageText(Self.encoded(content.values["next"] ?? ""))
    default: break
    }
    if let field = place.removing(suffix: "-problem") {
      return content.problems[field].map { Self.paragraph($0, #"class="problem" id="\#(field)-problem""#) }
    }
    if let field = place.removing(suffix: "-state") {
      return content.problems[field] == nil ? nil : PageText(html: #" aria-invalid="true" autofocus"#)
    }
    if let value = content.values[place] { return PageText(value) }
    return words.texts[place].map { text in
      // A text may have a place itself.
      PageText(
        html: PageTemplate(PageText(text).html).filled {
          $0 == "minimumLength" ? PageText("\(minimumLength)") : nil
        })
    }
  }

  private static func paragraph(_ text: String, _ attributes: String) -> PageText {
    PageText(html: "<p \(attributes)>\(PageText(text).html)</p>")
  }

  private static func link(_ path: String, _ text: String, _ words: Words, _ content: Content) -> PageText {
    let next = content.values["next"].map { "?next=\(encoded($0))" } ?? ""
    return PageText(
      html: "<p><a href=\"\(path)\(PageText(next).html)\">\(PageText(words.texts[text] ?? "").html)</a></p>")
  }

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(
      withAllowedCharacters: .alphanumerics.intersection(CharacterSet(charactersIn: "\0"..."\u{7F}"))) ?? ""
  }
}

/// A page of the public folder that cannot be shown.
public struct AccountPageError: Error, Equatable, CustomStringConvertible {
  /// One sentence with the file and the place.
  public let description: String

  init(path: String, place: String) {
    description =
      "\(path) has the place {\(place)}, which no page of accounts fills; its places are in the guide \"Accounts\"."
  }
}

extension String {
  /// The text without an ending; nil if it ends in another way.
  fileprivate func removing(suffix: String) -> String? {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : nil
  }
}
