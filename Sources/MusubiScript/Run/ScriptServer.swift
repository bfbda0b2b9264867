// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MusubiClient
import Synchronization

/// How a script starts the server that it tests.
package struct ServerCommand: Sendable {
  /// The executable's path.
  package var executable: String
  /// Its arguments in front of `--port N --data DIR`.
  package var arguments: [String]
  /// Its arguments behind them.
  package var furtherArguments: [String] = []

  /// Makes a command.
  ///
  /// - Parameters:
  ///   - executable: The executable's path.
  ///   - arguments: The arguments in front of `--port N --data DIR`.
  package init(executable: String, arguments: [String] = ["serve"]) {
    self.executable = executable
    self.arguments = arguments
  }

  /// This program with the argument `serve`.
  package static var thisExecutable: ServerCommand {
    let path = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      count = max(0, readlink("/proc/self/exe", start, buffer.count))
    }
    return ServerCommand(executable: String(decoding: path, as: UTF8.self))
  }
}

/// The server that a script talks to: a child process with its own data, or one that runs elsewhere.
///
/// The child says on standard output where it listens. It gets the same port and data when it is started again.
final class ScriptServer {
  /// A child that another thread starts would inherit a pipe that does not close on exec yet, and keep it open.
  private static let spawning = Mutex(())

  private let command: ServerCommand?
  /// Where the server listens; nil before the child has said so.
  private(set) var address: ServerAddress?
  /// Whether the child has said that it listens, since its last start.
  private(set) var isListening = false
  /// Whether there is no child.
  var hasEnded: Bool { process == nil }
  /// The read end of the child's standard output.
  private(set) var outputDescriptor: Int32?

  private var process: pid_t?
  private var output: [UInt8] = []
  private let folder: String
  /// Proves to the child that visitors come from its script.
  private let secret = (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined(
    separator: "-")
  private var ending: String?
  private var isWanted = false

  /// Uses a server that runs already; it cannot be killed.
  init(address: ServerAddress) {
    command = nil
    self.address = address
    isListening = true
    folder = ""
  }

  /// Prepares a server of its own in a fresh folder.
  init(command: ServerCommand) throws(StepFailure) {
    self.command = command
    let base = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var template = Array("\(base)/musubi-script-XXXXXX".utf8CString)
    guard let path = mkdtemp(&template) else {
      throw StepFailure("There is no temporary folder: \(String(cString: strerror(errno))).")
    }
    folder = String(cString: path)
  }

  deinit { shutDown() }

  /// Starts the child; it listens once `isListening` says so.
  func start() throws(StepFailure) {
    guard let command else { throw StepFailure("A server given by --url is not ours to start.") }
    let port = address.map { String($0.port) } ?? "0"
    let arguments =
      [command.executable] + command.arguments + ["--port", port, "--data", "\(folder)/data"]
      + command.furtherArguments
    let (child, output) = try Self.spawning.withLock { _ throws(StepFailure) in
      try spawn(command.executable, arguments)
    }
    closeOutput()
    outputDescriptor = output
    self.output = []
    process = child
    isListening = false
    isWanted = true
    ending = nil
  }

  private func spawn(_ executable: String, _ arguments: [String]) throws(StepFailure) -> (pid_t, Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw StepFailure("There is no pipe left.") }
    defer { Glibc.close(ends[1]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addopen(&actions, 2, logPath, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    var words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    let variables = ProcessInfo.processInfo.environment.merging([ScriptServer.secretVariable: secret]) { $1 }
    var environment = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for variable in environment { free(variable) } }
    let status = posix_spawn(&child, executable, &actions, nil, &words, &environment)
    guard status == 0 else {
      Glibc.close(ends[0])
      let reason = String(cString: strerror(status))
      throw StepFailure("The server '\(executable)' cannot be started: \(reason).")
    }
    return (child, ends[0])
  }

  /// The variable by which the child learns that its visitors come from a script; `ScriptVisitors` reads it.
  private static let secretVariable = "MUSUBI_SCRIPT_SECRET"

  /// The header that makes a page somebody's: the name and the roles as percent-encoded words.
  func authorization(of name: String, roles: [String]) -> String {
    let words = ([name] + roles).map { word in
      word.utf8.map { byte in
        "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
    }
    return "Musubi-Script \(secret) \(words.joined(separator: ","))"
  }

  /// Starts the child and waits until it listens.
  func startAndWait(_ deadline: Duration) throws(StepFailure) {
    try start()
    let end = ContinuousClock.now.advanced(by: deadline)
    while !isListening {
      guard let outputDescriptor, !hasEnded else {
        throw StepFailure("The server ended at its start.", details: lastWords)
      }
      guard ContinuousClock.now < end else {
        throw StepFailure(
          "The server did not say where it listens within \(deadline.readable).", details: lastWords)
      }
      if !ClientConnection.turn([], readable: [outputDescriptor], until: end).isEmpty { readOutput() }
    }
  }

  /// Ends the child by SIGKILL.
  func kill() throws(StepFailure) {
    guard command != nil else { throw StepFailure("A server given by --url is not ours to kill.") }
    guard let process else { throw StepFailure("The server is not running.") }
    isWanted = false
    Glibc.kill(process, SIGKILL)
    collect()
  }

  /// Asks the child by SIGTERM to end; nothing happens if there is none.
  func terminate() throws(StepFailure) {
    guard command != nil else { throw StepFailure("A server given by --url is not ours to stop.") }
    isWanted = false
    if let process { Glibc.kill(process, SIGTERM) }
  }

  /// Ends the child, and removes its folder.
  func shutDown() {
    if let process {
      isWanted = false
      Glibc.kill(process, SIGKILL)
      collect()
    }
    closeOutput()
    guard !folder.isEmpty, FileManager.default.fileExists(atPath: folder) else { return }
    do {
      try FileManager.default.removeItem(atPath: folder)
    } catch {
      FileHandle.standardError.write(Data("script: \(folder) could not be removed: \(error)\n".utf8))
    }
  }

  /// Reads what the child printed; its end shows as the end of the output.
  func readOutput() {
    guard let outputDescriptor else { return }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(outputDescriptor, &buffer, buffer.count)
    guard count > 0 else { return collect() }
    guard !isListening else { return }
    output += buffer[..<count]
    for line in String(decoding: output, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix("listening ") {
      do throws(ClientError) {
        address = try ServerAddress(String(line.dropFirst("listening ".count)))
        isListening = true
      } catch {
        ending = "it printed '\(line)'"
      }
    }
  }

  private func collect() {
    guard let child = process else { return }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    process = nil
    isListening = false
    closeOutput()
    let signal = status & 0x7f
    ending = signal == 0 ? "it ended with status \(status >> 8 & 0xff)" : "it was ended by signal \(signal)"
  }

  private func closeOutput() {
    if let outputDescriptor { Glibc.close(outputDescriptor) }
    outputDescriptor = nil
  }

  private var logPath: String { "\(folder)/server.log" }

  /// A reader's help after a failure: whether the server has gone, and the end of its log.
  var lastWords: [String] {
    guard command != nil else { return [] }
    var lines: [String] = []
    if isWanted, let ending { lines.append("the server is gone: \(ending)") }
    guard let data = FileManager.default.contents(atPath: logPath), !data.isEmpty else { return lines }
    let log = String(decoding: data, as: UTF8.self).split(separator: "\n").suffix(8)
    return lines + ["last lines of the server's log:"] + log.map { "  \($0)" }
  }
}
