// SPDX-License-Identifier: Apache-2.0
import CPostgres
import Glibc

/// One connection to a PostgreSQL server: the owner of one `PGconn`.
///
/// Not `Sendable`: the compiler keeps it on the thread or in the isolation that opened it. Calls block, but never longer than
/// the configuration says. It closes when the last reference goes. A connection that was lost is of no more use: open another.
///
/// ```swift
/// let connection = try PostgresConnection(PostgresConfiguration(url: "postgres://ann@localhost/pets"))
/// try connection.run("INSERT INTO pet VALUES ($1, $2)", .text("Tama"), .integer(3))
/// let ages = try connection.run("SELECT age FROM pet WHERE name = $1", .text("Tama"))
/// print(try ages.value(0, 0, as: Int.self))
/// ```
package final class PostgresConnection {
  private let connection: OpaquePointer
  private let configuration: PostgresConfiguration
  /// The statements that the server has prepared, by their text.
  private var prepared: [String: String] = [:]
  /// Whether no statement can be run any more.
  package private(set) var isLost = false
  private var process: ServerProcess?
  /// Whether a commit was answered without its standby; see `musubi_postgres_take_notice`.
  private let warned: UnsafeMutablePointer<Int32>
  /// The process of the server that may still be busy with a statement of this connection, which has not waited for the answer.
  package private(set) var abandoned: ServerProcess?

  /// A process of the server that works for one connection; `start` tells it from a later one of the same number.
  package struct ServerProcess: Equatable, Sendable {
    let number: Int64
    let start: Int64
  }

  /// The oldest server that is tested, as `PQserverVersion` counts.
  package static let oldestServer = 150_000

  /// Connects to a server that takes changes, and has each prepared statement planned once.
  ///
  /// - Parameters:
  ///   - configuration: Where, and for how long to wait.
  ///   - abandoned: What an earlier connection has left: it ends. A server does not notice by itself that nobody waits for
  ///     a statement, which may keep its locks for as long as a standby is away.
  /// - Throws: `PostgresError`: `unreachable`, `refused`, `noDatabase`.
  package init(
    _ configuration: PostgresConfiguration, ending abandoned: ServerProcess? = nil
  ) throws(PostgresError) {
    self.configuration = configuration
    let seconds = max(2, configuration.connectTimeout.components.seconds)
    // What comes later wins over the URL, which takes the place of the database's name, and the URL over what comes before.
    let settings = [
      ("target_session_attrs", "read-write"), ("dbname", configuration.url),
      ("connect_timeout", "\(seconds)"), ("client_encoding", "UTF8"),
      ("application_name", configuration.applicationName), ("keepalives_idle", "10"),
      ("keepalives_interval", "5"), ("keepalives_count", "3"),
    ]
    let names = settings.map { strdup($0.0) }
    let values = settings.map { strdup($0.1) }
    defer { for text in names + values { free(text) } }
    let opened = PQconnectdbParams(
      names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
    guard let opened else { throw PostgresError(.unreachable, "There is no memory for a connection") }
    guard PQstatus(opened) == CONNECTION_OK else {
      defer { PQfinish(opened) }
      throw Self.failure(of: opened)
    }
    connection = opened
    warned = .allocate(capacity: 1)
    warned.initialize(to: 0)
    PQsetNoticeReceiver(connection, musubi_postgres_take_notice, warned)
    PQsetnonblocking(connection, 1)
    // A statement that is planned each time takes more than twice the CPU. Neither a role's nor a database's setting may have
    // a commit answered before it is on the disk.
    let own = try runScript(
      """
      SET plan_cache_mode = force_generic_plan;
      SET default_transaction_isolation = 'read committed';
      SELECT set_config('synchronous_commit', 'on', false)
        WHERE current_setting('synchronous_commit') IN ('off', 'local');
      SELECT pid::text, \(Self.start)::text FROM pg_stat_activity WHERE pid = pg_backend_pid()
      """)
    if let number = own.text(0, 0).flatMap(Int64.init), let start = own.text(0, 1).flatMap(Int64.init) {
      process = ServerProcess(number: number, start: start)
    }
    guard let abandoned else { return }
    try run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND \(Self.start) = $2",
      .integer(abandoned.number), .integer(abandoned.start))
  }

  /// When a process has begun, in microseconds.
  private static let start = "(extract(epoch FROM backend_start) * 1000000)::bigint"

  deinit {
    PQfinish(connection)
    warned.deallocate()
  }

  /// The server's version, such as 150020 for 15.20.
  package var serverVersion: Int { Int(PQserverVersion(connection)) }

  /// This machine's numeric address on the way to the server; nil if no network is between them.
  package var localAddress: String? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        getsockname(PQsocket(connection), raw, &length) == 0
          && [AF_INET, AF_INET6].contains(Int32(raw.pointee.sa_family))
          && getnameinfo(raw, length, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0
      }
    }
    return isKnown
      ? String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
  }

  /// The process of the server that works for this connection.
  package var backend: Int32 { PQbackendPID(connection) }

  /// Runs one statement, which the server prepares at its first use.
  ///
  /// - Parameters:
  ///   - sql: One statement; `$1` stands for the first argument.
  ///   - arguments: As many as the statement has.
  /// - Returns: The answer.
  /// - Throws: `PostgresError`.
  @discardableResult
  package func run(_ sql: String, _ arguments: PostgresValue...) throws(PostgresError) -> PostgresResult {
    try run(sql, arguments)
  }

  /// Runs one statement with a list of arguments; see the other `run`.
  ///
  /// - Parameters:
  ///   - sql: One statement; `$1` stands for the first argument.
  ///   - arguments: As many as the statement has.
  ///   - limit: How long to wait for the answer; nil for as long as the configuration says.
  /// - Returns: The answer.
  /// - Throws: `PostgresError`; of kind `tooLarge` before anything is sent, if the arguments are longer than
  ///   a server takes.
  @discardableResult
  package func run(
    _ sql: String, _ arguments: [PostgresValue], within limit: Duration? = nil
  ) throws(PostgresError) -> PostgresResult {
    let end = ContinuousClock.now + (limit ?? configuration.answerTimeout)
    let name: String
    if let known = prepared[sql] {
      name = known
    } else {
      name = "s\(prepared.count)"
      let types = arguments.map(\.type)
      try send { PQsendPrepare(connection, name, sql, Int32(types.count), types) }
      try answer(until: end)
      prepared[sql] = name
    }
    let bytes = arguments.map(\.bytes)
    try Self.checkSize(bytes.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
    let lengths = bytes.map { Int32($0?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: bytes.count)
    // One block of memory for all: the pointers of several arrays cannot be borrowed at once.
    let all = Array(bytes.compactMap(\.self).joined()) + [0]
    try send {
      all.withUnsafeBytes { block in
        var place = 0
        let pointers = bytes.map { argument -> UnsafePointer<CChar>? in
          guard let argument, let start = block.baseAddress else { return nil }
          defer { place += argument.count }
          return (start + place).assumingMemoryBound(to: CChar.self)
        }
        return PQsendQueryPrepared(connection, name, Int32(bytes.count), pointers, lengths, formats, 0)
      }
    }
    return try answer(until: end)
  }

  /// A server gives up a connection that sends it a longer message, so that its sender would try again for
  /// ever: 1 GiB, with some space for what stands beside the arguments.
  private static let maxArgumentBytes = 1 << 30 - 1 << 16

  /// Refuses arguments that are longer than a server takes.
  ///
  /// - Parameter bytes: How long they are together.
  /// - Throws: `PostgresError` of kind `tooLarge`.
  static func checkSize(_ bytes: Int) throws(PostgresError) {
    guard bytes > maxArgumentBytes else { return }
    throw PostgresError(
      .tooLarge, "A statement has \(bytes) bytes of arguments, and a server takes \(maxArgumentBytes) at most"
    )
  }

  /// Runs statements without arguments, separated by semicolons, in one transaction.
  ///
  /// - Returns: The answer to the last one.
  /// - Throws: `PostgresError` of the first one that fails.
  @discardableResult
  package func runScript(_ sql: String) throws(PostgresError) -> PostgresResult {
    try send { PQsendQuery(connection, sql) }
    return try answer(until: .now + configuration.answerTimeout)
  }

  /// Runs a work in a transaction, which is taken back if the work throws.
  ///
  /// - Parameter work: Runs statements on this connection.
  /// - Returns: What it returns.
  /// - Throws: What it throws, or a `PostgresError`.
  package func transaction<Output>(_ work: () throws -> Output) throws -> Output {
    try runScript("BEGIN")
    do {
      let output = try work()
      try runScript("COMMIT")
      return output
    } catch {
      // The transaction ends with its connection, too.
      if !isLost { try runScript("ROLLBACK") }
      throw error
    }
  }

  // MARK: - Waiting

  private func send(_ begin: () -> Int32) throws(PostgresError) {
    guard !isLost else { throw PostgresError(.unreachable, "The connection was lost before") }
    guard begin() == 1 else { throw lose(.connectionLost) }
  }

  /// Waits for all answers to what was sent.
  @discardableResult
  private func answer(until end: ContinuousClock.Instant) throws(PostgresError) -> PostgresResult {
    var last: PostgresResult?
    var refusal: PostgresError?
    while true {
      try flush(until: end)
      while PQisBusy(connection) != 0 {
        try wait(for: Int16(POLLIN), until: end)
        guard PQconsumeInput(connection) == 1 else { throw lose(.connectionLost) }
      }
      guard let next = PQgetResult(connection) else { break }
      let result = PostgresResult(next)
      if let error = result.error {
        refusal = refusal ?? error
      } else {
        last = result
      }
    }
    // A server that ends a connection says why, as an error; what it has done of the statement is not known.
    guard PQstatus(connection) == CONNECTION_OK else { throw lose(.connectionLost, refusal?.message) }
    // Somebody has cancelled the wait for the standby: what was committed may be lost with this server.
    guard warned.pointee == 0 else { throw lose(.connectionLost, "a commit did not wait for its standby") }
    // The server takes no changes any more; another connection finds the one that does.
    if refusal?.isReadOnly == true { isLost = true }
    if let refusal { throw refusal }
    guard let last else { throw lose(.connectionLost) }
    return last
  }

  private func flush(until end: ContinuousClock.Instant) throws(PostgresError) {
    while true {
      let left = PQflush(connection)
      guard left != 0 else { return }
      guard left == 1 else { throw lose(.connectionLost) }
      // Both ends may wait for the other to read.
      let events = try wait(for: Int16(POLLIN | POLLOUT), until: end)
      guard events & Int16(POLLIN) == 0 || PQconsumeInput(connection) == 1 else {
        throw lose(.connectionLost)
      }
    }
  }

  @discardableResult
  private func wait(for events: Int16, until end: ContinuousClock.Instant) throws(PostgresError) -> Int16 {
    while true {
      let left = (end - .now) / .milliseconds(1)
      guard left > 0 else { throw lose(.timedOut) }
      var descriptor = pollfd(fd: PQsocket(connection), events: events, revents: 0)
      let ready = poll(&descriptor, 1, Int32(min(left.rounded(.up), 3_600_000)))
      if ready > 0 { return descriptor.revents }
      guard ready == 0 || errno == EINTR else { throw lose(.connectionLost) }
    }
  }

  /// Gives the connection up.
  private func lose(_ kind: PostgresError.Kind, _ message: String? = nil) -> PostgresError {
    isLost = true
    if kind == .timedOut {
      abandoned = process
      return PostgresError(kind, "The server has not answered in time")
    }
    let reason = message ?? Self.sentence(PQerrorMessage(connection))
    return PostgresError(
      kind, "The connection to the server was lost" + (reason.isEmpty ? "" : ": \(reason)"))
  }

  /// Why a connection was not made.
  private static func failure(of connection: OpaquePointer) -> PostgresError {
    let message = sentence(PQerrorMessage(connection))
    // libpq has no code of a connection that fails, but for its own words, and the server's, which it passes on in the server's language.
    if message.contains("session is read-only") {
      return PostgresError(sqlState: PostgresError.readOnly, message: message)
    }
    let hasAnswered = message.contains("FATAL:") || PQconnectionNeedsPassword(connection) != 0
    guard hasAnswered else { return PostgresError(.unreachable, message) }
    if PQconnectionUsedPassword(connection) != 0 || PQconnectionNeedsPassword(connection) != 0
      || message.contains("authentication") || message.contains("pg_hba.conf")
    {
      return PostgresError(.refused, message)
    }
    if message.contains("does not exist") {
      return PostgresError(message.contains("database") ? .noDatabase : .refused, message)
    }
    return PostgresError(.unreachable, message)
  }

  /// A message of libpq as one line.
  private static func sentence(_ text: UnsafePointer<CChar>?) -> String {
    guard let text else { return "" }
    return String(cString: text).split(separator: "\n").map { $0.drop { $0 == "\t" || $0 == " " } }
      .joined(separator: "; ")
  }
}
