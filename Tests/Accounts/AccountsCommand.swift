// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi
import MusubiAccounts

/// `musubi-test-accounts FILE [--links] OPTION…`: a screen for those who log in, with the pages of accounts; its other options
/// are those of `gallery serve`.
///
/// Ann's account is there, `ann@tea.example` with the password `tea and rice`. With `--links` each link, and
/// each notice, is a line of standard output.
@main
struct AccountsCommand {
  static func main() async throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    guard let file = arguments.first else {
      return print("usage: musubi-test-accounts FILE [--links] [options]")
    }
    arguments.removeFirst()
    var made = try Accounts(file: file)
    if arguments.first == "--links" {
      arguments.removeFirst()
      made.sendLink(base: "http://tea.example") { address, link in
        // Not `print`, which keeps lines back for a pipe.
        FileHandle.standardOutput.write(Data("link \(address) \(link)\n".utf8))
      }
      made.sendNotice { address, notice in
        FileHandle.standardOutput.write(Data("notice \(address) \(notice.newAddress)\n".utf8))
      }
    }
    let accounts = made
    if try await accounts.account(address: "ann@tea.example") == nil {
      try await accounts.add(
        address: "ann@tea.example", displayName: "Ann", password: "tea and rice", roles: ["host"])
    }
    await Application.run(arguments, environment: [:]) { application in
      application.screen("tea", page: "tea.html") { context in TeaView(context) }
      try accounts.install(in: &application, requiresLogIn: true)
    }
  }
}

/// Says whom it shows, and keeps a note.
private final class TeaView: View {
  private let who = Label("who")
  private let note = TextField("note")
  private let context: ScreenContext

  init(_ context: ScreenContext) { self.context = context }

  override func viewDidLoad() { who.text = context.visitor.displayName ?? "nobody" }
}
