// SPDX-License-Identifier: Apache-2.0
import Foundation
import GalleryAPI
public import Musubi
import Synchronization

extension Gallery {
  /// Lets visitors say who they are: one of the accounts that are there to be tried out, or a guest.
  ///
  /// `Public/log-in.html` sends its forms to its own address, so that the page that comes next is still named there.
  ///
  /// - Parameter application: What gets the hook and the routes.
  /// - Throws: If the database of a cluster cannot be reached.
  public static func addLogIn(to application: inout Application) throws {
    let (secrets, visitors) = (application.secrets, application.visitors)
    let ended = EndedLogIns(try .ofCluster(application))
    application.identifyVisitors { request in
      let person = try await ended.current(secrets, request)
      guard request.screen != "quiz" || person != nil else { throw LogInRequired(at: "/log-in.html") }
      return person?.visitor ?? .anonymous
    }
    application.post("/log-in.html", maxBodyBytes: 4_096) { request in
      var response = try Response.redirect(to: request.query["next"] ?? "/play.html")
      let sealed = try secrets.seal(LogIn(request.form), for: LogIn.cookie, validFor: LogIn.lifetime)
      response.setCookie(LogIn.cookie, sealed, maxAge: LogIn.lifetime)
      try await ended.end(secrets, request, visitors, after: &response)
      return response
    }
    application.post("/log-out", maxBodyBytes: 4_096) { request in
      var response = try Response.redirect(to: "/play.html")
      response.removeCookie(LogIn.cookie)
      try await ended.end(secrets, request, visitors, after: &response)
      return response
    }
  }
}

/// The log-ins that were ended before their cookies do: a page that comes back at once may still bring the older one.
///
/// They are remembered while the process lives, and in a cluster in its database, because the page may come back to another
/// server; only a copy of such a cookie would find out.
private final class EndedLogIns: Sendable {
  private static let maxCount = 10_000
  private let keys = Mutex<[UUID]>([])
  private let tables: GalleryTables?

  init(_ tables: GalleryTables?) { self.tables = tables }

  /// Who sends a request; nil if nobody is logged in there.
  func current(_ secrets: Secrets, _ request: Request) async throws -> LogIn? {
    guard let logIn = secrets.open(request.cookies[LogIn.cookie], as: LogIn.self, for: LogIn.cookie),
      !keys.withLock({ $0.contains(logIn.key) })
    else { return nil }
    let hasEnded = try await GalleryTables.reached { try await tables?.hasEnded(logIn: logIn.key.uuidString) }
    return hasEnded ?? false ? nil : logIn
  }

  /// Ends the log-in that a browser has had, and asks its open pages who they are when it has the new cookie.
  func end(
    _ secrets: Secrets, _ request: Request, _ visitors: Visitors, after response: inout Response
  ) async throws {
    guard let logIn = try await current(secrets, request) else { return }
    let now = Date().timeIntervalSince1970
    try await GalleryTables.reached {
      try await tables?.end(
        logIn: logIn.key.uuidString, expiring: now + LogIn.lifetime / .seconds(1), at: now)
    }
    keys.withLock { keys in
      if keys.count == Self.maxCount { keys.removeFirst() }
      keys.append(logIn.key)
    }
    response.afterwards { await visitors.endSessions(of: logIn.id, logIn: logIn.key.uuidString) }
  }
}

/// Who a visitor of the gallery is, as the sealed cookie says.
///
/// Nobody has a password here: whoever wants to may be Ann. But nobody can become a guest who is somebody else.
struct LogIn: Codable, Equatable {
  let id: String
  let name: String
  /// Tells this log-in from others of the same person.
  var key = UUID()

  /// The accounts that anybody may take.
  static let accounts = ["Ann", "Bob", "Cem", "Dee"]
  /// The name of the cookie, and of what is sealed.
  static let cookie = "person"
  static let lifetime = Duration.seconds(30 * 86_400)
  private static let maxNameLength = 40

  var visitor: Visitor { Visitor(id: id, displayName: name, logIn: key.uuidString) }

  /// One of the accounts, or a guest of this name, whose id nobody else has.
  ///
  /// - Throws: `HTTPError` 400 if it is neither.
  init(_ form: Form) throws(HTTPError) {
    if let account = form["person"] {
      guard Self.accounts.contains(account) else {
        throw HTTPError(400, "There is no such demo account. そのようなデモ用アカウントはありません。")
      }
      (id, name) = (account.lowercased(), account)
      return
    }
    let name = (form["name"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    // A character may consist of any number of bytes.
    guard !name.isEmpty, name.count <= Self.maxNameLength, name.utf8.count <= 8 * Self.maxNameLength else {
      throw HTTPError(
        400, "A guest has a name of 1 to \(Self.maxNameLength) characters. 名前は1～\(Self.maxNameLength)文字です。")
    }
    (id, self.name) = ("guest \(UUID().uuidString)", name)
  }
}
