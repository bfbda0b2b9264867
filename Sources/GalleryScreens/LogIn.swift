// SPDX-License-Identifier: Apache-2.0
import Foundation
public import Musubi

extension Gallery {
  /// Lets visitors say who they are: one of the accounts that are there to be tried out, or a guest.
  ///
  /// `Public/log-in.html` sends its forms to its own address, so that the page that comes next is still named there.
  ///
  /// - Parameter application: What gets the hook and the routes.
  public static func addLogIn(to application: inout Application) {
    let secrets = application.secrets
    application.identifyVisitors { request in
      let person = secrets.open(request.cookies[LogIn.cookie], as: LogIn.self, for: LogIn.cookie)
      guard request.screen != "quiz" || person != nil else { throw LogInRequired(at: "/log-in.html") }
      return person?.visitor ?? .anonymous
    }
    application.post("/log-in.html", maxBodyBytes: 4_096) { request in
      var response = try Response.redirect(to: request.query["next"] ?? "/play")
      let sealed = try secrets.seal(LogIn(request.form), for: LogIn.cookie, validFor: LogIn.lifetime)
      response.setCookie(LogIn.cookie, sealed, maxAge: LogIn.lifetime)
      return response
    }
    application.post("/log-out", maxBodyBytes: 4_096) { _ in
      var response = try Response.redirect(to: "/play")
      response.removeCookie(LogIn.cookie)
      return response
    }
  }
}

/// Who a visitor of the gallery is, as the sealed cookie says.
///
/// Nobody has a password here: whoever wants to may be Ann. But nobody can become a guest who is somebody else.
struct LogIn: Codable, Equatable {
  let id: String
  let name: String

  /// The accounts that anybody may take.
  static let accounts = ["Ann", "Bob", "Cem", "Dee"]
  /// The name of the cookie, and of what is sealed.
  static let cookie = "person"
  static let lifetime = Duration.seconds(30 * 86_400)
  private static let maxNameLength = 40

  var visitor: Visitor { Visitor(id: id, displayName: name) }

  /// One of the accounts, or a guest of this name, whose id nobody else has.
  ///
  /// - Throws: `HTTPError` 400 if it is neither.
  init(_ form: Form) throws(HTTPError) {
    if let account = form["person"] {
      guard Self.accounts.contains(account) else { throw HTTPError(400, "There is no such demo account.") }
      (id, name) = (account.lowercased(), account)
      return
    }
    let name = (form["name"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    // A character may consist of any number of bytes.
    guard !name.isEmpty, name.count <= Self.maxNameLength, name.utf8.count <= 8 * Self.maxNameLength else {
      throw HTTPError(400, "A guest has a name of 1 to \(Self.maxNameLength) characters.")
    }
    (id, self.name) = ("guest \(UUID().uuidString)", name)
  }
}
