// SPDX-License-Identifier: Apache-2.0
import CBaseline

/// A server that is measured.
enum ServerKind: String, CaseIterable, Encodable {
  /// One epoll loop in C without a library: the machine's limit.
  case epoll
  /// Plain libwebsockets in C: the bare echo that budgets refer to.
  case lws
  /// Node's usual library `ws`, Debian's package node-ws: a bare server that people know.
  case node
  /// Musubi's gallery with its number screen.
  case musubi

  /// Those that take part if none is named: each machine has them.
  static let standard: [ServerKind] = [.epoll, .lws, .musubi]

  /// The name in tables.
  var title: String {
    switch self {
    case .epoll: "raw epoll in C"
    case .lws: "libwebsockets in C"
    case .node: "ws on Node"
    case .musubi: "Musubi"
    }
  }

  /// The hidden subcommand by which this program becomes one of the servers.
  static let serveCommand = "__serve"

  /// Becomes the server; a baseline returns only if it cannot serve.
  ///
  /// - Parameter arguments: What `gallery serve` takes, for Musubi. For the others an address to listen on; then the
  ///   number of loops, for raw epoll, or the files of a certificate and its key, for libwebsockets by TLS.
  /// - Returns: The exit status.
  func serve(_ arguments: [String]) async -> Int32 {
    musubi_count_allocations()
    switch self {
    case .epoll:
      guard arguments.count == 2, let loops = Int32(arguments[1]) else { return 2 }
      return musubi_serve_epoll(arguments[0], loops)
    case .lws:
      guard arguments.count == 3 else { return musubi_serve_lws(arguments.first ?? "127.0.0.1", nil, nil) }
      return musubi_serve_lws(arguments[0], arguments[1], arguments[2])
    case .node: return 2
    case .musubi: return await GalleryServer.serve(arguments)
    }
  }

  /// The words that start this server on a free port.
  func arguments(_ options: Options) -> [String] {
    let own = [Program.path, Self.serveCommand, rawValue]
    switch self {
    case .epoll: return own + [options.host, String(options.loops)]
    case .lws: return own + [options.host] + (options.identity.map { [$0.certificate, $0.key] } ?? [])
    case .node: return ["/usr/bin/env", "node", "-e", Self.nodeProgram, options.host]
    case .musubi: return musubiArguments(options)
    }
  }

  /// What the servers in C do, with their paths and queries.
  private static let nodeProgram = """
    const { WebSocketServer } = require("/usr/share/nodejs/ws");
    const audience = new Set();
    const server = new WebSocketServer({ host: process.argv[1], port: 0, perMessageDeflate: false });
    server.on("listening", () => console.log(`listening on ${process.argv[1]}:${server.address().port}`));
    server.on("connection", (socket, request) => {
      const { pathname, searchParams } = new URL(request.url, "ws://localhost");
      const [length, greeting] = ["reply", "greeting"].map((name) => Number(searchParams.get(name)));
      if (greeting > 0) socket.send(" ".repeat(greeting));
      const receivers = pathname === "/broadcast" ? audience.add(socket) : [socket];
      socket.on("message", (message) => {
        const answer = message.toString().padEnd(length);
        for (const receiver of receivers) receiver.send(answer);
      });
      socket.on("close", () => audience.delete(socket));
    });
    """

  private func musubiArguments(_ options: Options) -> [String] {
    let program = options.galleryPath.map { [$0, "serve"] } ?? [Program.path, Self.serveCommand, rawValue]
    let tls = options.identity.map { ["--tls-certificate", $0.certificate, "--tls-key", $0.key] } ?? []
    // What one address may have is for people; here all pages are on one other machine.
    let bounds =
      options.loadAddress == nil
      ? []
      : [
        "--max-connections-per-peer", "1000000", "--max-rooms-per-peer", "1000000", "--sessions-per-second",
        "unlimited", "--peer-share", "100",
      ]
    let sessions = options.cluster?.arguments ?? ["--sessions", options.storesSessions ? "disk" : "memory"]
    return program + tls + [
      "--host", options.host, "--port", "0", "--loops", String(options.loops), "--log-level", "error",
      "--messages-per-second",
      "unlimited",
    ] + bounds + sessions
  }
}

/// The requests of connections to a server, and their messages.
///
/// The baselines get the very messages that Musubi gets, and answer with as many bytes as Musubi does, in one
/// frame: the message filled up by spaces.
struct Traffic {
  var server: ServerKind
  var client: Options.Client
  var isFanOut = false
  /// Payload bytes of one answer of a baseline.
  var answerBytes = 200
  /// Payload bytes that a baseline sends right after the handshake; Musubi sends hello and snapshot.
  var greetingBytes = 0
  /// Tells rooms of different loads on one server apart.
  var label = "a"
  /// The rows of the list that is shown; nil for the number screen.
  var rows: Int?
  /// Whether the list's ViewModel tells which row has changed.
  var tellsChange = false
  /// Each page has a session-scope screen, instead of a room with a name of its own.
  var isAlone = false
  /// Connections come back to the sessions that they had.
  var resumes = false
  /// Connections leave without a word.
  var vanishes = false
  /// How connections are encrypted.
  var security = MUSUBI_PLAIN

  /// Whether text goes out as edits.
  var sendsEdits: Bool { client == .edits && rows == nil }

  /// Frames that come before the first message.
  var greetingFrames: UInt32 {
    if server == .musubi { return 2 }
    return greetingBytes > 0 ? 1 : 0
  }

  /// The path of connections that take part; `{c}` is the connection's number.
  var path: String {
    guard server == .musubi else {
      return "/\(isFanOut ? "broadcast" : "echo")?reply=\(answerBytes)&greeting=\(greetingBytes)"
    }
    let list = rows.map { _ in tellsChange ? "bench-told" : "bench-list" }
    let room = (rows.map(String.init) ?? "bench") + (isFanOut ? "-\(label)" : "-\(label)-{c}")
    let screen = isAlone ? "number-alone?" : "\(list ?? "number")?room=\(room)&"
    return "/live/\(screen)edits=\(sendsEdits ? 1 : 0)"
  }

  /// The path of connections that come back.
  var resumePath: String { server == .musubi ? path + "&resume=1" : path }

  /// The path of idle connections: each in a room of its own.
  var idlePath: String {
    server == .musubi ? "/live/number?room=idle-\(label)-{c}" : "/echo?greeting=\(greetingBytes)"
  }

  /// Eight digits typed over the text that is there.
  func request(isFirst: Bool) -> String {
    if rows != nil { return #"{"input":{n},"name":"change","value":"{t}"}"# }
    return switch client {
    case .edits: #"{"input":{n},"name":"number","revision":{r},"edits":[[0,\#(isFirst ? 1 : 8),"{t}"]]}"#
    case .plain: #"{"input":{n},"name":"number","value":"{t}"}"#
    }
  }
}
