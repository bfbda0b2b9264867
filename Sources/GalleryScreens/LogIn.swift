// SPDX-License-Identifier: Apache-2.0
import Foundation
public import Musubi

extension Gallery {
  /// Lets visitors say who they are: one of the accounts that are there to be tried out, or a guest.
  ///
  /// - Parameter application: What gets the hook.
  public static func addLogIn(to application: inout Application) {
    application.identifyVisitors { request in
      let visitor = LogIn.visitor(of: request.cookies["person"] ?? "")
      guard request.screen != "quiz" || visitor.id != nil else { throw LogInRequired(at: "/log-in.html") }
      return visitor
    }
  }
}

/// Who a visitor of the gallery is, as the cookie of `Public/log-in.js` says.
///
/// Nobody has a password here: whoever wants to may be Ann. So the cookie needs no seal; it gives nothing that the page does
/// not give. A guest's id is a secret of the browser that has drawn it.
enum LogIn {
  /// The accounts that anybody may take.
  static let accounts = ["Ann", "Bob", "Cem", "Dee"]
  private static let maxNameLength = 40

  /// The visitor of `Ann`, or of a guest's 32 digits and name, `0f…9a~Emma`; else anonymous.
  static func visitor(of person: String) -> Visitor {
    if let account = accounts.first(where: { $0 == person }) {
      return Visitor(id: account.lowercased(), displayName: account)
    }
    let parts = person.split(separator: "~", maxSplits: 1).map(String.init)
    guard parts.count == 2, parts[0].count == 32, parts[0].allSatisfy(\.isHexDigit),
      let name = parts[1].removingPercentEncoding
    else { return .anonymous }
    return Visitor(id: "guest \(parts[0])", displayName: String(name.prefix(maxNameLength)))
  }
}
