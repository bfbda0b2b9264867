// SPDX-License-Identifier: Apache-2.0
public import MusubiSession

/// Everything that can be set about a Musubi server; the defaults are right for production on one machine.
public struct Configuration: Sendable {
  /// How a log line looks.
  public enum LogFormat: String, CaseIterable, Sendable {
    /// For people.
    case text
    /// One JSON object per line, for machines.
    case json
  }

  /// The lightest event that is logged.
  public enum LogLevel: String, CaseIterable, Sendable {
    /// Everything, each connection included.
    case debug
    /// Starts, stops and refusals.
    case info
    /// What an operator should look at.
    case warning
    /// What does not work.
    case error
  }

  /// The address to listen on; default `127.0.0.1`, and `0.0.0.0` for all of the machine's.
  public var host = "127.0.0.1"
  /// The port; default 8080, and 0 takes any free one.
  public var port: UInt16 = 8_080
  /// Descriptors of listening sockets that were handed over, such as systemd's; then `host` and `port` do not count.
  ///
  /// They stay open when the server stops: who connects meanwhile waits for the next one. Default none.
  public var inheritedSockets: [Int32] = []
  /// The descriptor of a listening socket that was handed over for the server's state; then `admin` does not count.
  ///
  /// Its address says whether a token is needed. Default nil.
  public var inheritedAdminSocket: Int32?
  /// The values of the program's own options, by name: ``ProgramOption``.
  public internal(set) var programOptions: [String: String] = [:]
  /// The visitors of the script that has started this process; nil if none has.
  var scriptVisitors: ScriptVisitors?
  /// How many event loops run, each on a thread of its own.
  ///
  /// 1 to 64; default nil, one for each core.
  public var loops: Int?
  /// The file with the server's certificate and those that lead to its issuer, in PEM; nil for plain connections.
  ///
  /// When the file or the key's changes, or at SIGHUP, both are read again, and shown from the next handshake on if they fit
  /// together.
  public var certificateFile: String?
  /// The file with the certificate's key, in PEM and without a passphrase.
  public var keyFile: String?
  /// The folder with the pages; default `Public`.
  public var publicFolder = "Public"
  /// The folder for what must survive a restart; nil for none.
  public var dataFolder: String?
  /// Whether sessions and rooms of `Restorable` screens are stored there; default true.
  public var storesSessions = true
  /// The URL of a PostgreSQL database where they are stored instead of in the folder, such as
  /// `postgres://musubi@db.example.org/musubi`; nil, the default, for none.
  ///
  /// One server at a time owns it; a second one waits a few seconds for the first to end or to fall silent, and else does not
  /// start. What the program itself keeps, such as accounts and uploads, stays in the folder. libpq takes a password that is
  /// not in the URL from `PGPASSWORD` or from `~/.pgpass`.
  public var storeURL: String?
  /// The URL of a PostgreSQL database that several servers share: each of them serves any page; nil, the default, for none.
  ///
  /// Each room lives on one of them, and moves when that one goes. Takes the place of `storeURL`.
  public var clusterURL: String?
  /// Where links of the other servers arrive, as `host:port`; nil, the default, for any free port of the address from which
  /// PostgreSQL is reached.
  public var nodeListen: String?
  /// What the other servers call this one, as `host:port`; nil, the default, for where it listens.
  public var nodeAddress: String?
  /// How long a server says nothing until the others take its rooms; default 1.2 seconds.
  public var nodeSilence: Duration = .milliseconds(1_200)
  /// How long a server that is asked to stop goes on after `/readyz` has begun to say so, before its rooms go to the others;
  /// default two seconds.
  public var readyDelay: Duration = .seconds(2)
  /// How long the youngest server has been there when rooms begin to be moved to it; default one minute.
  public var balanceAge: Duration = .seconds(60)
  /// The most bytes that they take there; nil, the default, for a tenth of the disk's size, or 8 GiB in PostgreSQL.
  public var dataLimit: Int?
  /// Whether each commit of sessions and rooms is waited for until it would survive a loss of power, too.
  ///
  /// A kill of the process takes nothing back in any case. It costs a wait for the disk before each acknowledgement, which
  /// all that happens meanwhile shares. Default false.
  public var syncsSessions = false
  /// Origins whose pages may connect beside the server's own, such as `https://example.org`; `*` for all.
  public var allowedOrigins: [String] = []
  /// Names of this server, `example.org`, under which its own pages may connect; `*` for all.
  ///
  /// Needed where pages are shown under a name, such as behind a proxy; IP addresses, `localhost` and allowed origins
  /// always may.
  public var allowedHosts: [String] = []
  /// What pages may load, run and be shown in, besides what comes from the server; default nothing.
  public var contentSecurity = ContentSecurity()
  /// How many messages each session may send per second in the long run.
  ///
  /// Bursts may be five times as long. A faster one is read from more slowly, and loses nothing. nil for no
  /// limit; default 1,000.
  public var messagesPerSecond: Int? = 1_000
  /// How many messages an address may send per second in the long run, on all loops together.
  ///
  /// Bursts may be five times as long, and a /48 of IPv6 addresses may send eight times as many. Loopback addresses are not
  /// counted. nil, or no `messagesPerSecond`, for no limit; default 10,000.
  public var messagesPerAddress: Int? = 10_000
  /// The networks of proxies that tell their visitors' addresses, such as `127.0.0.1/32` or `2001:db8::/32`.
  ///
  /// Where the socket is one of theirs, the visitor's address is read from `X-Forwarded-For`, or else from `Forwarded`, from
  /// right to left up to the first that is not one of theirs. Default none.
  public var trustedProxies: [String] = []
  /// The most open connections of one identity; default 256.
  ///
  /// Here and in the next three an address may have `addressFactor` times as much, and a /48 of IPv6 addresses eight times
  /// as much again; an IPv6 address counts as its /64. Loopback addresses are not counted.
  public var maxConnectionsPerPeer = 256
  /// The most rooms that sessions of one identity have made, on all loops; default 1,000.
  public var maxRoomsPerPeer = 1_000
  /// How many sessions of one identity may begin per second in the long run; nil for no limit, default 20.
  ///
  /// As many refusals are answered; beyond them connections are closed without a word.
  public var sessionsPerSecond: Int? = 20
  /// How many of them may begin at once; nil, the default, for ten times as many as in a second.
  public var sessionsAtOnce: Int?
  /// How many times as much as an identity an address may have, since many people share one; at least 1, default 8.
  public var addressFactor = 8
  /// The most bytes of memory that sessions and rooms take, on all loops together; nil, the default, for half of what the
  /// process may take.
  ///
  /// Above it sessions and rooms that nobody shows go, first the newest of the visitor who holds most; then new ones are
  /// refused. No visitor holds more than `sessions.peerShare` per cent, a quarter.
  public var memory: Int?
  /// How long `identifyVisitors` may take to say who somebody is; then the page is told to come back later.
  ///
  /// Default 5 seconds.
  public var identifyTimeout: Duration = .seconds(5)
  /// How many requests to the program's own addresses are under way; default 32.
  ///
  /// An address may have `addressFactor` times as many, and a /48 eight times as many again.
  public var maxRequestsPerPeer = 32
  /// The most bytes that such a request may bring, unless its route says another number; default 64 KiB.
  public var maxBodyBytes = 65_536
  /// How long the body of such a request may take to arrive, and then its answer, unless its route says another time.
  ///
  /// Default 30 seconds.
  public var requestTimeout: Duration = .seconds(30)
  /// The file with the keys by which cookies are sealed, which nobody but its owner may read; made if it is missing.
  ///
  /// Each line is a key: the first one seals, all open, so that a key can be replaced while the cookies of the one before
  /// still hold. Default nil: a key that comes from the database in a cluster, `secrets` in the data folder, and without one a
  /// key that lives as long as the process.
  public var secretFile: String?
  /// The folder where files that are sent wait until they are complete; nil, the default, for `uploads` in the data folder.
  ///
  /// Only the server's user may open it. It is needed only where `Application.uploads` is used, and best lies on the disk where
  /// files are taken to, so that they are moved and not copied.
  public var uploadFolder: String?
  /// The most uploads of one identity that are not finished; default 32.
  ///
  /// Here and in the next one an address may have `addressFactor` times as much. Loopback addresses are not counted.
  public var maxUploadsPerPeer = 32
  /// The most bytes of them, as they were announced; default 1 GiB.
  public var maxUploadBytesPerPeer = 1 << 30
  /// The most bytes of all uploads that are not finished; nil, the default, for a tenth of the disk's size.
  public var maxUploadBytes: Int?
  /// How long an upload is kept of which no byte arrives; default a day.
  public var uploadLifetime: Duration = .seconds(86_400)
  /// After how much silence a connection counts as gone.
  ///
  /// It is asked after two thirds of that. Default 30 seconds.
  public var deadAfter: Duration = .seconds(30)
  /// When the server stops, pages come back after a random time up to this; each is told its own.
  ///
  /// Raise it to a second for each 1,000 pages, so that they do not all come at once. Default 2 seconds.
  public var restartSpread: Duration = .seconds(2)
  /// The longest wait before a server with a data folder listens, after processes that have ended unasked.
  ///
  /// It waits 0, 1, 2, 4 … seconds as long as its processes end within a minute, and begins again at 0 once one has served
  /// for ten minutes. Default 30 seconds.
  public var maxRestartWait: Duration = .seconds(30)
  /// The folder where what happens in every room is written down, for `replay`; nil, the default, for nowhere.
  ///
  /// Each room has a file that only its owner may read, with all that its visitors send, apart from inputs with a rule
  /// `.redact`.
  public var recordFolder: String?
  /// The most bytes of all records there, at least 1 MiB; default 256 MiB.
  ///
  /// A single record takes at most an eighth of it. The oldest ones go when three quarters are taken.
  public var recordLimit = 256 << 20
  /// Reads pages again when they change, reloads them in the browsers, checks their names, and logs every
  /// input.
  public var isDevelopment = false
  /// The lightest event that is logged; default `info`.
  public var logLevel = LogLevel.info
  /// How a log line looks; default `text`.
  public var logFormat = LogFormat.text
  /// Where the server's state is shown to who runs it; nil, the default, for nowhere.
  ///
  /// On loopback everybody of the machine may look. Elsewhere all but health needs the token of `adminTokenFile`.
  public var admin: AdminAddress?
  /// The file with the token of the admin port, which nobody but its owner may read; default none.
  public var adminTokenFile: String?
  /// Whether the admin port shows what happens in rooms, with what people type; default no.
  ///
  /// With `isDevelopment` it does.
  public var showsRooms = false
  /// The path of a raw WebSocket echo for conformance suites; nil, the default, for none.
  public var conformanceEcho: String?
  /// Whether the limits of addresses hold for loopback, too: for tests.
  package var countsLoopback = false
  /// The limits and times of sessions and rooms.
  public var sessions = SessionConfiguration()

  /// The defaults.
  public init() {}

  /// Whether sessions and rooms outlive the process.
  var keepsSessions: Bool { storesSessions && (dataFolder != nil || storeURL != nil || clusterURL != nil) }
}
