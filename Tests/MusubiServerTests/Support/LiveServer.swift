// SPDX-License-Identifier: Apache-2.0
import Glibc
import MusubiServer
import MusubiSession
import Synchronization

/// A server on a free port with a small public folder of its own, for the length of one test.
struct LiveServer {
  let server: Server
  let record: ServiceRecord
  let log: LineCollector
  let folder: TemporaryFolder

  var port: UInt16 { server.port }

  func client() throws -> ClientSocket { try ClientSocket(port: port) }

  /// A client whose handshake has succeeded.
  func page(_ path: String = "/live/known") throws -> ClientSocket {
    let client = try client()
    let response = try client.upgrade(path)
    guard response.status == 101 else {
      throw ClientSocket.Failure.malformed("\(response.status) \(response.text)")
    }
    return client
  }

  /// Has the server stop.
  ///
  /// The order is given when this returns: a task that only waits for a thread would never begin while tests read from
  /// their sockets on all of them.
  func beginStop() -> Task<Void, Never> { Task.immediate { await server.stop() } }

  /// Runs a test against a server and stops it.
  static func with<Result>(
    _ change: (inout ServerConfiguration) -> Void = { _ in }, routes: [PageRoute] = [],
    files: [String: String] = [:], ledger: PeerLedger = PeerLedger(), memory: Int? = nil,
    match: (@Sendable (HTTPRequest) -> HTTPRouteMatch)? = nil,
    _ body: (LiveServer) async throws -> Result
  ) async throws -> Result {
    var configuration = ServerConfiguration()
    configuration.port = 0
    configuration.conformanceEcho = "/echo"
    change(&configuration)
    let folder = try TemporaryFolder()
    try folder.write("<h1>index</h1>", to: "index.html")
    for (name, text) in files { try folder.write(text, to: name) }
    let record = ServiceRecord()
    let log = LineCollector()
    let site = Site(files: try StaticFiles(root: folder.path, routes: routes), match: match)
    let logger = Logger(level: .debug) { log.add($0) }
    let server = Server(configuration: configuration, site: site, logger: logger, ledger: ledger) { loop in
      CommandService(loop: loop, record: record, memory: memory)
    }
    try server.start()
    let live = LiveServer(server: server, record: record, log: log, folder: folder)
    do {
      let result = try await body(live)
      await server.stop()
      return result
    } catch {
      await server.stop()
      throw error
    }
  }
}

/// Collects log lines of all threads.
final class LineCollector: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ line: String) { lines.withLock { $0.append(line) } }

  func count(_ text: String) -> Int { lines.withLock { $0.count { $0.contains(text) } } }

  func contains(_ text: String) -> Bool { lines.withLock { $0.contains { $0.contains(text) } } }
}

/// A folder that goes when its owner does.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    var name = Array("/tmp/musubi-test-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw ClientSocket.Failure.malformed("no temporary folder") }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  func write(_ text: String, to name: String) throws {
    if let slash = name.lastIndex(of: "/") { mkdir(path + "/" + name[..<slash], 0o755) }
    guard let file = fopen(path + "/" + name, "w") else { throw ClientSocket.Failure.malformed(name) }
    fputs(text, file)
    fclose(file)
  }

  func link(_ name: String, to target: String) { symlink(target, path + "/" + name) }

  private static func remove(_ path: String) {
    guard let stream = opendir(path) else { return }
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name != ".", name != ".." else { continue }
      if entry.pointee.d_type == UInt8(DT_DIR) {
        remove(path + "/" + name)
      } else {
        unlink(path + "/" + name)
      }
    }
    closedir(stream)
    rmdir(path)
  }
}
