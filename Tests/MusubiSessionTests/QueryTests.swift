// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The parameters of a page's address` {
  /// Shows them.
  private final class QueryView: View {
    private let label = Label("query")
    private let query: [String: String]
    init(_ context: ScreenContext) { query = context.query }
    override func viewDidLoad() {
      label.text = query.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: "&")
    }
  }

  private static func shown(scope: Scope, _ query: [String: String]) -> (String?, [Admission]) {
    let route = ScreenRoute(name: "query", scope: scope) { QueryView($0) }
    let network = SimulatedNetwork(seed: 1, routes: [route])
    let page = RawPage(network, "query", query: query)
    network.run(until: .seconds(1))
    return (page.last("snapshot")?["query"]?.stringValue, network.refusals)
  }

  @Test func `reach its screen, without those that are Musubi's own`() {
    let (shown, _) = Self.shown(
      scope: .session,
      ["shelf": "unread", "word": "雪国 & more", "page": "", "edits": "1", "path": "/query", "room": "x"])

    // The name of a room that nobody shares is a parameter like others.
    #expect(shown == "page=&room=x&shelf=unread&word=雪国 & more")
  }

  @Test func `reach a screen in a test`() throws {
    let screen = try TestScreen(query: ["shelf": "unread"]) { QueryView($0) }

    #expect(screen["query"] == "shelf=unread")
  }

  @Test func `reach no shared room, whoever opens it first`() {
    #expect(Self.shown(scope: .room, ["shelf": "unread"]).0 == "")
  }

  @Test(arguments: [(2_048, ["shelf", "utm", "w"]), (2_049, ["utm", "w"])])
  func `have two kibibytes at most, counted in UTF-8: a page opens without the longest`(
    _ length: Int, _ taken: [String]
  ) {
    // 9 bytes of the three names, and 3 for each of the characters.
    let query = [
      "shelf": String(repeating: "雪", count: 400), "utm": String(repeating: "b", count: length - 2_009),
      "w": String(repeating: "a", count: 800),
    ]
    let (shown, refusals) = Self.shown(scope: .session, query)

    #expect(shown == taken.map { "\($0)=\(query[$0] ?? "")" }.joined(separator: "&"))
    #expect(refusals == [])
  }

  @Test func `open a page without those that follow people from site to site`() {
    var query = Dictionary(
      uniqueKeysWithValues: (1...15).map { ("utm_\($0)", String(repeating: "u", count: 200)) })
    query["shelf"] = "unread"
    query["fbclid"] = String(repeating: "f", count: 10_000)
    let own = ["edits": "1", "path": "/" + String(repeating: "p", count: 2_000)]
    let (shown, _) = Self.shown(scope: .session, query.merging(own) { $1 })

    #expect(shown?.hasPrefix("shelf=unread&utm_") == true)
    #expect(shown?.contains("fbclid") == false)
    #expect(shown?.split(separator: "&").count == 10)
  }
}
