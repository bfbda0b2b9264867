// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Musubi
import Synchronization

/// Whether somebody has asked this process to end.
private let isEnding = Atomic<Bool>(false)

/// The command for who writes: builds and serves, and has each change of Swift replace the process.
struct DevCommand {
  private struct Options {
    var port: UInt16 = 8_080
    var product: String?
  }

  /// What the last build has made.
  private enum Build {
    /// Nothing: what was built before it is still there.
    case broken
    /// A program that waits until its pages fit.
    case waiting
    case served
  }

  static var help: String {
    """
    \(parser.help)

    What follows -- are options of serve. Sessions and rooms are kept in .build/musubi-dev.
    """
  }

  private static var parser: OptionParser<Options> {
    OptionParser(
      command: "dev",
      options: [
        Option(name: "port", placeholder: "N", help: "port on 127.0.0.1; 0 takes any free one (8080)") {
          (target, text) throws(CommandLineError) in
          guard let port = UInt16(text) else {
            throw CommandLineError("--port takes a number from 0 to 65535, but \"\(text.prefix(80))\" came.")
          }
          target.port = port
        },
        Option(name: "product", placeholder: "NAME", help: "the program, if the package has several") {
          (target, text) throws(CommandLineError) in target.product = text
        },
      ], readsEnvironment: false)
  }

  private let program: ProgramOfPackage
  /// Where SwiftPM puts the program.
  private let path: String
  private let socket: ListeningSocket
  private let serveOptions: [String]
  private let write: (String) -> Void
  private var build = Build.broken
  private var server: ChildProcess?
  /// When the server began.
  private var begin = ContinuousClock.now

  /// Serves until SIGTERM, SIGINT or SIGHUP.
  static func run(_ words: [String], in folder: String, write: @escaping (String) -> Void) throws -> Int32 {
    let own = words.prefix { $0 != "--" }
    var options = Options()
    try parser.parse(Array(own), environment: [:], into: &options)
    let program = try ProgramOfPackage(in: folder, named: options.product)
    var command = DevCommand(
      program: program, path: try program.path(), socket: try ListeningSocket(port: options.port),
      serveOptions: Array(words.dropFirst(own.count + 1)), write: write)
    return try command.serve()
  }

  private init(
    program: ProgramOfPackage, path: String, socket: ListeningSocket, serveOptions: [String],
    write: @escaping (String) -> Void
  ) {
    (self.program, self.path, self.socket) = (program, path, socket)
    (self.serveOptions, self.write) = (serveOptions, write)
  }

  private mutating func serve() throws -> Int32 {
    // The value is made here: the handler of a signal may not make it.
    isEnding.store(false, ordering: .relaxed)
    for number in [SIGTERM, SIGINT, SIGHUP] {
      signal(number) { _ in isEnding.store(true, ordering: .relaxed) }
    }
    try FileManager.default.createDirectory(atPath: dataFolder, withIntermediateDirectories: true)
    defer { stopServer() }
    var (last, done) = (state, state)
    write("musubi: building \(program.name)")
    try follow(changeOfSwift: true)
    while !isEnding.load(ordering: .relaxed) {
      usleep(100_000)
      try restartIfEnded()
      let now = state
      // Whoever saves several files has all of them in one build: it waits until nothing changes any more.
      if now == last, now != done {
        let isNewSwift = now.swift != done.swift
        done = now
        try follow(changeOfSwift: isNewSwift)
      }
      last = now
    }
    return 0
  }

  private var state: (swift: FolderState, pages: FolderState) {
    (
      FolderState(of: ["Package.swift", "Package.resolved", "Sources"], in: program.folder),
      FolderState(of: ["Public"], in: program.folder)
    )
  }

  private var dataFolder: String { program.folder + "/.build/musubi-dev" }

  /// Builds and checks what has changed, and has it served; a mistake leaves the process that is there.
  private mutating func follow(changeOfSwift: Bool) throws {
    if changeOfSwift {
      build = try run(program.build, stoppedBy: SIGINT) == 0 ? .waiting : .broken
      if build == .broken { say("it does not build", server == nil ? "" : "; the process before goes on") }
    }
    guard build != .broken else { return }
    let fits = try run([path, "check", "--data", dataFolder] + serveOptions) == 0
    if server == nil || (fits && build == .waiting) {
      try replace()
    } else if build == .waiting {
      say("the process before goes on until the check passes")
    }
  }

  /// Runs a program to its end, or until this process has to end.
  private func run(_ words: [String], stoppedBy signal: Int32 = SIGTERM) throws -> Int32? {
    let child = try ChildProcess(words, in: program.folder)
    let status = child.wait { isEnding.load(ordering: .relaxed) }
    if status == nil { child.stop(by: signal) }
    return status
  }

  /// Ends the process that serves, and starts the one that was built.
  ///
  /// Who connects meanwhile waits in the socket's queue.
  private mutating func replace() throws {
    guard !isEnding.load(ordering: .relaxed) else { return }
    let wasServing = server != nil
    stopServer()
    try start()
    say("\(wasServing ? "replaced" : "serving") http://127.0.0.1:\(socket.port)")
  }

  private mutating func start() throws {
    begin = ContinuousClock.now
    server = try ChildProcess(
      [path, "serve", "--dev", "--data", dataFolder, "--restart-spread", "0", "--max-restart-wait", "0"]
        + serveOptions, in: program.folder, socket: socket.descriptor)
    // After a crash, too: the program that waits has taken the place of the one before.
    if build == .waiting { build = .served }
  }

  private mutating func stopServer() {
    if server?.stop() == false { say("the process did not end within 10 seconds when asked, and was killed") }
    server = nil
  }

  /// A process that has ended by itself starts again, but not one that lived for less than a second.
  private mutating func restartIfEnded() throws {
    guard let status = server?.ended() else { return }
    server = nil
    guard !isEnding.load(ordering: .relaxed) else { return }
    let isEarly = ContinuousClock.now - begin < .seconds(1)
    let reason = status > 128 ? "signal \(status - 128)" : "exit status \(status)"
    say("the process has ended (\(reason)); it starts again\(isEarly ? " with the next change" : "")")
    if !isEarly { try start() }
  }

  private func say(_ words: String...) {
    if !isEnding.load(ordering: .relaxed) { write("musubi: \(words.joined())") }
  }
}
