// SPDX-License-Identifier: Apache-2.0
import CBaseline
import Foundation

/// A server that runs as a child on its own core, until `stop()`.
final class ServerProcess {
  let kind: ServerKind
  let port: UInt16
  /// The core where the server runs alone, nil if it may use several.
  let core: Int?
  private var child: musubi_child
  private let loads: any LoadMaker

  /// The process id.
  var identifier: Int32 { child.pid }

  /// Starts a server and waits until it listens.
  ///
  /// - Parameters:
  ///   - kind: Which server.
  ///   - options: The core, and where Musubi's server lies.
  /// - Throws: `BenchError` with what the server printed, if it does not say its port within ten seconds.
  init(_ kind: ServerKind, _ options: Options) throws(BenchError) {
    let words = kind.arguments(options)
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { (word: String) in strdup(word) } + [nil]
    defer { pointers.forEach { free($0) } }
    core = Machine.canPin && (kind == .lws || options.pinsServer) ? options.serverCore : nil
    var child = musubi_child()
    let failure = musubi_spawn(&pointers, Int32(core ?? -1), &child)
    guard failure == 0 else {
      throw BenchError("cannot start \(words[0]): \(String(cString: strerror(failure)))")
    }
    guard let port = Self.awaitPort(of: child) else {
      let output = Self.output(of: child)
      musubi_stop(&child, 100)
      throw BenchError(
        "\(words.joined(separator: " ")) did not say its port; it printed: \(output.suffix(400))")
    }
    self.kind = kind
    self.port = port
    self.child = child
    loads = options.loads
  }

  /// Does something with loads to this server.
  ///
  /// - Throws: `BenchError` with the server's name.
  func load(_ order: LoadOrder) throws(BenchError) -> LoadAnswer {
    do throws(BenchError) { return try loads.obey(order, server: identifier) } catch {
      throw BenchError("\(kind.title): \(error)")
    }
  }

  /// Ends the server and waits for its end.
  ///
  /// At once: Musubi would wait for its pages to leave, and a benchmark has nothing to save.
  func stop() { musubi_stop(&child, 0) }

  /// What the server printed so far, at most the first 16 KiB.
  var output: String { Self.output(of: child) }

  /// How many heap allocations the server has made.
  ///
  /// - Returns: The count; nil if this server does not count.
  func allocations() -> Int? {
    let lines = Self.allocationLines(output)
    kill(identifier, SIGUSR1)
    for _ in 0..<400 {
      let now = Self.allocationLines(output)
      if now.count > lines.count { return now.last }
      usleep(5_000)
    }
    return nil
  }

  private static func allocationLines(_ output: String) -> [Int] {
    output.split(separator: "\n").compactMap { line in
      line.hasPrefix("allocations ") ? Int(line.dropFirst("allocations ".count)) : nil
    }
  }

  /// Private memory that is not backed by files, in bytes: heap, stacks, and what the allocator keeps.
  ///
  /// - Throws: `BenchError` if the server is gone.
  func anonymousMemory() throws(BenchError) -> Int {
    let status: String
    do { status = try String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8) } catch {
      throw BenchError("\(kind.title) has gone; it printed: \(output.suffix(400))")
    }
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    guard let kilobytes = line?.split(separator: " ").dropLast().last.flatMap({ Int($0) }) else {
      throw BenchError("this kernel does not tell RssAnon in /proc/PID/status")
    }
    return kilobytes * 1024
  }

  /// What a thread has used.
  struct ThreadUse {
    /// CPU time, with that of the kernel for it.
    var seconds: Double
    /// How often it has waited for something.
    var waits: Double

    static func - (later: Self, earlier: Self) -> Self {
      Self(seconds: later.seconds - earlier.seconds, waits: later.waits - earlier.waits)
    }
  }

  /// What the first loop of Musubi's server has used so far.
  ///
  /// - Throws: `BenchError` if there is no such thread.
  func loopUse() throws(BenchError) -> ThreadUse {
    let tasks = "/proc/\(identifier)/task"
    func text(_ task: String, _ file: String) throws -> String {
      try String(contentsOfFile: "\(tasks)/\(task)/\(file)", encoding: .utf8)
    }
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: tasks)
      guard let loop = try names.first(where: { try text($0, "comm") == "musubi-0\n" }) else {
        throw BenchError("\(kind.title) has no loop")
      }
      let waits = try text(loop, "status").split(separator: "\n").first {
        $0.hasPrefix("voluntary_ctxt_switches")
      }
      guard let nanoseconds = Double(try text(loop, "schedstat").prefix { $0 != " " }),
        let waits = waits?.split(separator: "\t").last.flatMap({ Double($0) })
      else { throw BenchError("this kernel does not tell what a thread has used") }
      return ThreadUse(seconds: nanoseconds / 1e9, waits: waits)
    } catch {
      throw (error as? BenchError) ?? BenchError("\(kind.title) has gone: \(error.localizedDescription)")
    }
  }

  private static func output(of child: musubi_child) -> String {
    var child = child
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      musubi_child_output(&child, start, buffer.count)
      return String(cString: start)
    }
  }

  /// Waits for an address such as `127.0.0.1:40123`, `0.0.0.0:40123` or `http://localhost:40123` in the server's output.
  private static func awaitPort(of child: musubi_child) -> UInt16? {
    for _ in 0..<2_000 {
      let address = /(?:127\.0\.0\.1|0\.0\.0\.0|localhost):([0-9]{1,5})/
      if let match = output(of: child).firstMatch(of: address) { return UInt16(match.1) }
      if kill(child.pid, 0) != 0 { return nil }
      usleep(5_000)
    }
    return nil
  }
}
