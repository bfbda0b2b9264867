// SPDX-License-Identifier: Apache-2.0
public import Musubi
import Foundation

extension Accounts {
  /// Adds the pages to an application, and has it know its visitors by their log-ins.
  ///
  /// ```swift
  /// let accounts = try Accounts(for: application.configuration)
  /// try accounts.install(in: &application)
  /// ```
  ///
  /// The pages are `/login`, `/signup`, `/account`, and with `sendLink(base:_:)` `/forgotten` and `/link`; `POST /logout` ends the
  /// log-in of this browser with its open pages, and with the field `everywhere=yes` those of all browsers. A file of the same name in the public
  /// folder's `accounts/`, such as `accounts/log-in.html`, and `accounts.css` are shown in place of Musubi's own.
  ///
  /// Set everything else of the accounts before. An application with more to say about visitors calls
  /// `application.identifyVisitors` afterwards, and there `visitor(of:)`.
  ///
  /// - Parameters:
  ///   - application: The application.
  ///   - requiresLogIn: Whether every page asks for a log-in; false, so that `for: .signedIn` says which do.
  /// - Throws: `AccountPageError` if one of your own pages has an unknown place.
  public func install(in application: inout Application, requiresLogIn: Bool = false) throws {
    let folder = application.configuration.publicFolder
    let routes = AccountRoutes(accounts: self, pages: try AccountPages(publicFolder: folder, for: self))
    desk.attach(application.visitors, application.configuration.logger)
    desk.hasher.prepare()
    application.identifyVisitors { request in
      let visitor = try await visitor(of: request)
      guard visitor.id != nil || !requiresLogIn else { throw LogInRequired(at: AccountPaths.logIn) }
      return visitor
    }
    if !FileManager.default.fileExists(atPath: folder + "/accounts.css") {
      application.get("/accounts.css", isOpen: true) { _ in
        var response = Response.data(PackageResources.accounts_css, type: "text/css; charset=utf-8")
        response.headers["Cache-Control"] = "max-age=3600"
        return response
      }
    }
    application.get(AccountPaths.logIn, isOpen: true) { routes.logInPage($0) }
    post(AccountPaths.logIn, to: &application) { try await routes.logIn($0) }
    post(AccountPaths.logOut, to: &application) { try await routes.logOut($0) }
    application.get(AccountPaths.account, isOpen: true) { try await routes.accountPage($0) }
    post(AccountPaths.account + "/password", to: &application) { try await routes.changePassword($0) }
    post(AccountPaths.account + "/address", to: &application) { try await routes.changeAddress($0) }
    if allowsSignUp {
      application.get(AccountPaths.signUp, isOpen: true) { routes.signUpPage($0) }
      post(AccountPaths.signUp, to: &application) { try await routes.signUp($0) }
    }
    guard sendsLinks else { return }
    application.get(AccountPaths.forgotten, isOpen: true) { routes.forgottenPage($0) }
    post(AccountPaths.forgotten, to: &application) { try await routes.forgotten($0) }
    application.get(AccountPaths.link, isOpen: true) { try await routes.linkPage($0) }
    post(AccountPaths.link, to: &application) { try await routes.useLink($0) }
  }

  /// A form's route: as many bytes as its fields may have.
  private func post(
    _ path: String, to application: inout Application,
    answer: @escaping @Sendable (Request) async throws -> Response
  ) { application.post(path, isOpen: true, maxBodyBytes: 16_384, answer: answer) }
}
