// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiServer
import MusubiSession
import MusubiWire
import Synchronization
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Rooms on two live loops` {
  @Test func `many pages of many rooms all see each room's newest state`() async throws {
    try await LiveServer.withRooms(loops: 2) { port in
      var pages: [(room: Int, socket: ClientSocket)] = []
      for number in 0..<48 { pages.append((number % 6, try Self.page(port, "room=\(number % 6)"))) }

      for page in pages { try page.socket.sendText(#"{"input":1,"name":"count"}"#) }

      for page in pages {
        var seen = 0
        while seen < 8 {
          let frame = try Value(json: page.socket.readText())
          guard let text = frame["patch"]?.arrayValue?.first?["value"]?.stringValue else { continue }
          let count = Int(text) ?? 0
          #expect(count > seen && count <= 8, "Turns come in order, each once.")
          seen = max(count, seen)
        }
      }
    }
  }

  @Test func `a page resumes whichever loop accepts it`() async throws {
    try await LiveServer.withRooms(loops: 2) { port in
      for _ in 0..<24 {
        var (session, token, epoch) = ("", "", Value.null)
        do {
          let page = try ClientSocket(port: port)
          #expect(try page.upgrade("/live/counter?room=a").status == 101)
          let hello = try Value(json: page.readText())["hello"] ?? .null
          session = hello["session"]?.stringValue ?? ""
          token = hello["token"]?.stringValue ?? ""
          epoch = try Value(json: page.readText())["epoch"] ?? .null
        }

        let page = try ClientSocket(port: port)
        #expect(try page.upgrade("/live/counter?room=a&resume=1").status == 101)
        let resume: Value = [
          "resume": ["session": .string(session), "token": .string(token), "position": .array([epoch, 0])]
        ]
        try page.sendText(resume.description)
        try page.sendText(#"{"ping":7}"#)

        #expect(try Value(json: page.readText())["resumed"]?["turns"] == 0)
        #expect(try Value(json: page.readText())["pong"] == 7)
      }
    }
  }

  @Test func `a stop reaches pages whose room is on the other loop`() async throws {
    try await LiveServer.withRooms(loops: 2) { port in
      let pages = try (0..<16).map { try Self.page(port, "room=\($0)") }
      for page in pages { try page.sendText(#"{"ping":1}"#) }
      for page in pages { #expect(try Value(json: page.readText())["pong"] == 1) }
    }
  }

  static func page(_ port: UInt16, _ query: String) throws -> ClientSocket {
    let page = try ClientSocket(port: port)
    #expect(try page.upgrade("/live/counter?" + query).status == 101)
    #expect(try Value(json: page.readText())["hello"] != nil)
    #expect(try Value(json: page.readText())["snapshot"] != nil)
    return page
  }
}

/// Counts taps.
private final class CounterView: View {
  private let label = Label("label")
  private let button = Button("count")
  private var taps = 0

  override func viewDidLoad() {
    label.text = "0"
    button.onTap = { [unowned self] in
      taps += 1
      label.text = "\(taps)"
    }
  }
}

extension LiveServer {
  /// Runs a test against a server with a counter in rooms, and stops it.
  static func withRooms(
    loops: Int, sessions limits: SessionConfiguration = SessionConfiguration(),
    _ body: (UInt16) async throws -> Void
  ) async throws {
    var configuration = ServerConfiguration()
    configuration.port = 0
    configuration.loops = loops
    let folder = try TemporaryFolder()
    let mailboxes = LoopMailboxes()
    let server = Server(
      configuration: configuration, site: Site(files: try StaticFiles(root: folder.path, routes: [])),
      logger: Logger(level: .error)
    ) { loop in
      var environment = LoopEnvironment(
        clock: { loop.now }, wallClock: { 0 },
        entropy: Cryptography.randomBytes, sha256: Cryptography.sha256)
      environment.loop = loop.index
      let sessions = SessionLoop(
        routes: [ScreenRoute(name: "counter", scope: .room) { _ in CounterView() }],
        configuration: limits, environment: environment)
      return mailboxes.service(of: loop, sessions)
    }
    mailboxes.attach(server.loops)
    try server.start()
    do {
      try await body(server.port)
      await server.stop()
    } catch {
      await server.stop()
      throw error
    }
  }
}
