// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiTesting
import Testing

private struct Membership: Codable, Equatable {
  var team: String
  var since: Int?
}

/// Publishes for editors alone.
private final class PublishView: View {
  private let state = Label("state")
  private let publish = Button("publish")
  private let context: ScreenContext

  init(_ context: ScreenContext) { self.context = context }

  override func viewDidLoad() {
    state.text = "draft"
    publish.onTap = { [unowned self] in
      if context.visitor.roles.contains("editor") { state.text = "published" }
    }
  }
}

@Suite struct `A visitor` {
  private static func everything() throws -> Visitor {
    var visitor = Visitor(
      id: "ann", displayName: "Ann 結", roles: ["host", "editor"], locales: ["ja", "en"],
      timeZone: TimeZone(identifier: "Asia/Tokyo"), validFor: .milliseconds(1_500))
    try visitor.setClaims(Membership(team: "red", since: 2_019))
    return visitor
  }

  @Test func `is the same after it was stored`() throws {
    for visitor in [try Self.everything(), .anonymous, Visitor(id: "bob"), Visitor(locales: ["de"])] {
      let stored = try JSONEncoder().encode(visitor)
      let read = try JSONDecoder().decode(Visitor.self, from: stored)
      #expect(read == visitor)
      #expect(try read.claims(as: Membership.self) == visitor.claims(as: Membership.self))
    }
  }

  @Test func `tells nobody which log-in it is`() throws {
    let visitor = Visitor(id: "ann", logIn: "phone")
    let stored = try JSONEncoder().encode(visitor)
    #expect(!String(decoding: stored, as: UTF8.self).contains("phone"))
    #expect(try JSONDecoder().decode(Visitor.self, from: stored) == Visitor(id: "ann"))
  }

  @Test func `that an earlier version has stored is read`() throws {
    let stored = Data(#"{"identity":"ann","rights":["host"],"locales":["en"]}"#.utf8)
    #expect(
      try JSONDecoder().decode(Visitor.self, from: stored)
        == Visitor(id: "ann", roles: ["host"], locales: ["en"]))
  }

  @Test func `differs by each of its parts`() throws {
    let visitor = try Self.everything()
    let changes: [(inout Visitor) throws -> Void] = [
      { $0.id = "bob" }, { $0.displayName = nil }, { $0.roles.remove("host") }, { $0.locales = [] },
      { $0.timeZone = nil }, { $0.validFor = nil }, { $0.logIn = "phone" },
      { try $0.setClaims(Membership(team: "blue")) },
    ]
    for change in changes {
      var other = visitor
      try change(&other)
      #expect(other != visitor)
      #expect(try visitor == Self.everything(), "A copy is changed, and not the original.")
    }
  }

  @Test func `has claims of the application's own type, or none`() throws {
    let visitor = try Self.everything()
    #expect(try visitor.claims(as: Membership.self) == Membership(team: "red", since: 2_019))
    #expect(try Visitor.anonymous.claims(as: Membership.self) == nil)
    #expect(throws: DecodingError.self) { try visitor.claims(as: [Int].self) }
  }

  @Test func `that acts in a test is the one of the screen's context`() throws {
    let editor = Visitor(id: "ann", roles: ["editor"])
    let screen = try TestScreen(query: [:], visitor: editor) { PublishView($0) }

    screen.visitor = Visitor(id: "bob")
    try screen.tap("publish")
    #expect(screen["state"] == "draft")

    screen.visitor = editor
    try screen.tap("publish")
    #expect(screen["state"] == "published")
  }

  @available(*, deprecated, message: "It tests what is deprecated.")
  @Test func `answers to its former names`() {
    var visitor = Visitor(identity: "ann", rights: ["host"])
    #expect(visitor == Visitor(id: "ann", roles: ["host"]))
    visitor.identity = "bob"
    visitor.rights.insert("editor")
    #expect(visitor == Visitor(id: "bob", roles: ["editor", "host"]))
    #expect(visitor.identity == "bob")
    #expect(visitor.rights == ["editor", "host"])
  }
}
