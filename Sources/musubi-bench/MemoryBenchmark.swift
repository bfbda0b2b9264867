// SPDX-License-Identifier: Apache-2.0
import CBaseline

/// User memory that each idle session takes.
///
/// A first thousand sessions are not counted: they pay for what the server sets up once. The kernel's socket
/// buffers are not user memory and not counted either.
enum MemoryBenchmark {
  private static let first = 1_000

  /// One row.
  struct Row: Encodable {
    let mode: String
    let server: ServerKind
    let sessions: Int
    let bytesPerSession: Double
  }

  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    var rows: [Row] = []
    for wanted in options.connections ?? (options.isQuick ? [5_000] : [10_000, 19_000]) {
      let sessions = min(wanted, options.maxConnections)
      for kind in ServerKind.allCases where options.servers.contains(kind) {
        let bytes = try bytesPerSession(kind, sessions: max(sessions, first + 1), options)
        rows.append(Row(mode: Mode.memory.rawValue, server: kind, sessions: sessions, bytesPerSession: bytes))
      }
    }
    for row in rows {
      try report.record(row)
      guard row.server == .musubi else { continue }
      let name = "user memory of an idle session, \(row.sessions) sessions"
      report.find(.size, name, row.bytesPerSession)
      report.budget("\(name): bytes", .atMost, 5_400, reached: row.bytesPerSession)
    }
    try report.table(
      "User memory of each idle session", header: ["sessions", "<server", "bytes each"],
      rows: rows.map { [readable(Double($0.sessions)), $0.server.title, readable($0.bytesPerSession)] })
  }

  static func bytesPerSession(
    _ kind: ServerKind, sessions: Int, _ options: Options
  ) throws(BenchError) -> Double {
    let server = try ServerProcess(kind, options)
    defer { server.stop() }
    let settling = options.isQuick ? 0.3 : 1
    var traffic = Traffic(server: kind, client: options.client, label: "first")
    if options.identity != nil { traffic.security = MUSUBI_TLS }
    let few = try Load(Scenario(mode: .memory, active: 0, idle: first), traffic, to: server)
    try few.rest(seconds: settling)
    let before = try server.anonymousMemory()
    traffic.label = "others"
    let many = try Load(Scenario(mode: .memory, active: 0, idle: sessions - first), traffic, to: server)
    try many.rest(seconds: settling)
    let after = try server.anonymousMemory()
    try few.rest(seconds: 0.01)
    return Double(after - before) / Double(sessions - first)
  }
}
