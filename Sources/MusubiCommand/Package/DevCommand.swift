// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Musubi

/// The command for who writes: builds and serves, and has each change of Swift replace the process.
struct DevCommand {
  private struct Options {
    var port: UInt16 = 8_080
    var product: String?
    var opensBrowser = true
  }

  /// What the last build has made.
  private enum Build {
    /// Nothing.
    case broken
    /// A program that waits until its pages fit.
    case waiting
    case served
  }

  static var help: String {
    """
    \(parser.help)

    What follows -- are options of serve. Sessions, rooms and records are kept in .build/musubi-dev.
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
        Option(name: "no-open", placeholder: nil, help: "open no browser") {
          (target, _) throws(CommandLineError) in target.opensBrowser = false
        },
      ], readsEnvironment: false)
  }

  private let program: ProgramOfPackage
  /// Where SwiftPM puts the program.
  private let path: String
  private var programs: KeptPrograms
  private let socket: ListeningSocket
  /// Where the inspector is; nil if the author has named another place.
  private let adminSocket: ListeningSocket?
  private let serveOptions: ServeOptions
  private let endRequest: EndRequest
  private let write: (String) -> Void
  /// Whether a browser is still to be opened.
  private var opensBrowser: Bool
  private var tellsInspector = true
  private var build = Build.broken
  /// How long the last build took.
  private var buildTime = Duration.zero
  private var server: DevServer?
  private var standIn: StandIn
  /// What the open pages show.
  private var problem: Problem?
  /// What the compiler has said last of a build that is broken.
  private var buildProblem: Problem?

  /// Serves until SIGTERM, SIGINT or SIGHUP.
  static func run(_ words: [String], in folder: String, write: @escaping (String) -> Void) throws -> Int32 {
    let own = words.prefix { $0 != "--" }
    var options = Options()
    try parser.parse(Array(own), environment: [:], into: &options)
    let program = try ProgramOfPackage(in: folder, named: options.product)
    let serveOptions = ServeOptions(words.dropFirst(own.count + 1))
    var command = DevCommand(
      program: program, path: try program.path(), socket: try ListeningSocket(port: options.port),
      adminSocket: serveOptions["admin"] == nil ? try ListeningSocket(port: 0) : nil,
      serveOptions: serveOptions, endRequest: try EndRequest(),
      opensBrowser: options.opensBrowser && WebBrowser.isThere(), write: write)
    return try command.serve()
  }

  private init(
    program: ProgramOfPackage, path: String, socket: ListeningSocket, adminSocket: ListeningSocket?,
    serveOptions: ServeOptions, endRequest: EndRequest, opensBrowser: Bool, write: @escaping (String) -> Void
  ) {
    (self.program, self.path, self.socket, self.adminSocket) = (program, path, socket, adminSocket)
    programs = KeptPrograms(of: path, in: Self.dataFolder(of: program))
    (self.serveOptions, self.endRequest, self.write) = (serveOptions, endRequest, write)
    self.opensBrowser = opensBrowser
    standIn = StandIn(on: socket.descriptor)
  }

  private mutating func serve() throws -> Int32 {
    try FileManager.default.createDirectory(atPath: dataFolder, withIntermediateDirectories: true)
    defer { stopServer() }
    var (last, done) = (state, state)
    write("musubi: building \(program.name)")
    try follow(changeOfSwift: true)
    while !endRequest.isThere {
      try waitForChange()
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

  /// Lets a twentieth of a second pass, and does what cannot wait: it answers browsers if nobody else does, and starts a process
  /// again that has ended.
  private mutating func waitForChange() throws {
    let deadline = ContinuousClock.now + .milliseconds(50)
    while ContinuousClock.now < deadline, !endRequest.isThere {
      let others = server.map { [$0.process.end] } ?? standIn.descriptors
      let ready = Readiness.wait(
        for: [endRequest.descriptor] + others, atMost: ContinuousClock.now.duration(to: deadline))
      if server == nil {
        standIn.answer(
          ready.filter { $0 != endRequest.descriptor }, problem: Array(try Problem.json(of: problem)))
      } else {
        try restartIfEnded()
      }
    }
  }

  private var state: (swift: FolderState, pages: FolderState) {
    (
      FolderState(of: ["Package.swift", "Package.resolved", "Sources"], in: program.folder),
      FolderState(of: ["Public"], in: program.folder)
    )
  }

  private var address: String { "http://127.0.0.1:\(socket.port)" }

  private var dataFolder: String { Self.dataFolder(of: program) }

  private static func dataFolder(of program: ProgramOfPackage) -> String {
    program.folder + "/.build/musubi-dev"
  }

  /// Where records are, from the package's folder on, unless the author names another place.
  private static let recordFolder = ".build/musubi-dev/records"

  /// Builds and checks what has changed, and has it served; a mistake leaves the process that is there.
  private mutating func follow(changeOfSwift: Bool) throws {
    if changeOfSwift {
      let begin = ContinuousClock.now
      let (status, printed) = try run(program.build, stoppedBy: SIGINT)
      buildTime = ContinuousClock.now - begin
      build = status == 0 ? .waiting : .broken
      if build == .broken {
        buildProblem = Problem(build: printed, in: program.folder)
        try tell(buildProblem)
        say("it does not build; ", server == nil ? "\(address) says so" : "the process before goes on")
      }
    }
    guard build != .broken else {
      // A page that was mended may be all that the program before has waited for.
      guard !changeOfSwift, server == nil, programs.isChecked else { return }
      try replace(byNext: false)
      return try tell(buildProblem)
    }
    if changeOfSwift { try programs.keepNext() }
    let newest = build == .waiting ? programs.next : programs.served
    let (status, printed) = try run([newest, "check", "--data", dataFolder] + serveOptions.words)
    let fits = status == 0
    // Where nothing runs and no check has passed, there is nothing better than the newest.
    if build == .waiting, fits || (server == nil && !programs.isChecked) {
      try replace(byNext: true)
    } else if server == nil {
      try replace(byNext: false)
    }
    if build == .waiting {
      try tell(Problem(check: printed, status: status ?? 1, in: program.folder))
      say("the process before goes on until the check passes")
    } else if fits {
      programs.isChecked = true
    }
    // Last: the pages need not wait for the editor. A program whose screens cannot be made has no names.
    guard changeOfSwift, problem?.kind != .screens else { return }
    do { try EditorNames.refresh(from: path, in: program.folder) } catch {
      // An editor with older names is no reason to serve nothing.
      say("the editor keeps the names that it has: \(error)")
    }
  }

  /// Runs a program to its end, or until this process has to end.
  private func run(_ words: [String], stoppedBy signal: Int32 = SIGTERM) throws -> (
    status: Int32?, printed: String
  ) {
    let output = try PrintedOutput(passedTo: STDOUT_FILENO)
    let child = try output.of {
      try ChildProcess(words, in: program.folder, output: .descriptor($0), errors: $0)
    }
    let status = child.wait(atMost: nil, orReadable: endRequest.descriptor)
    if status == nil { child.stop(by: signal) }
    return (status, output.text())
  }

  /// Has the open pages show a problem, or show it no more.
  private mutating func tell(_ next: Problem?) throws {
    problem = next
    problem?.isRunning = server != nil
    try Problem.json(of: problem).write(
      to: URL(fileURLWithPath: dataFolder + "/problem.json"), options: .atomic)
  }

  /// Ends the process that serves, and starts another one.
  ///
  /// Who connects meanwhile waits in the socket's queue.
  ///
  /// - Parameter isNext: Whether the program that was built last takes the place of the one before.
  /// - Throws: What keeps the process from starting.
  private mutating func replace(byNext isNext: Bool) throws {
    guard !endRequest.isThere else { return }
    let wasServing = server != nil
    stopServer()
    standIn.stop()
    if isNext {
      try programs.serveNext()
      programs.isChecked = false
      build = .served
    }
    try start()
    try tell(nil)
    let seconds = String(format: "%.2f", buildTime / .seconds(1))
    say("\(wasServing ? "replaced" : "serving") \(address)", wasServing ? " (build: \(seconds) s)" : "")
    if tellsInspector, let adminSocket { say("inspector http://127.0.0.1:\(adminSocket.port)/inspector") }
    tellsInspector = false
    if opensBrowser { try WebBrowser.open(address, in: program.folder) }
    opensBrowser = false
  }

  private mutating func start() throws {
    var own = ["--dev", "--data", dataFolder, "--restart-spread", "0", "--max-restart-wait", "0"]
    // Inputs and turns would hide what the compiler says; the inspector has them.
    let usual = [("record", Self.recordFolder), ("record-limit", "16M"), ("log-level", "warning")]
    for (name, value) in usual where serveOptions[name] == nil { own += ["--" + name, value] }
    let sockets =
      [(name: "public", descriptor: socket.descriptor)]
      + (adminSocket.map { [(name: "admin", descriptor: $0.descriptor)] } ?? [])
    server = try DevServer(
      [programs.served, "serve"] + own + serveOptions.words, in: program.folder, sockets: sockets,
      report: dataFolder + "/crash.txt")
  }

  private mutating func stopServer() {
    if server?.process.stop() == false {
      say("the process did not end within 10 seconds when asked, and was killed")
    }
    server = nil
  }

  /// A process that has ended by itself starts again, but not one that lived for less than a second.
  private mutating func restartIfEnded() throws {
    guard let ended = server, let status = ended.process.ended() else { return }
    server = nil
    guard !endRequest.isThere else { return }
    let isEarly = ContinuousClock.now - ended.begin < .seconds(1)
    let reason = status > 128 ? "signal \(status - 128)" : "exit status \(status)"
    let next = ended.problem(status: status, in: program.folder)
    if next.kind == .crash {
      say(next.sentence)
      tellRecord()
    }
    say("the process has ended (\(reason)); it starts again\(isEarly ? " with the next change" : "")")
    if !isEarly { try start() }
    try tell(next)
  }

  /// Names the record of the room that has crashed.
  private func tellRecord() {
    func path(_ path: String) -> String { path.hasPrefix("/") ? path : "\(program.folder)/\(path)" }
    let folder = serveOptions["record"] ?? Self.recordFolder
    let data = serveOptions.word(of: "data") ?? dataFolder
    guard let name = CrashRecord.name(in: path(folder), ofData: path(data)) else { return }
    let file = "\(folder)/\(name)"
    say("the last events of its room are in ", file)
    say("to run them again: swift run \(program.name) replay ", file.contains(" ") ? "'\(file)'" : file)
  }

  private func say(_ words: String...) {
    if !endRequest.isThere { write("musubi: \(words.joined())") }
  }
}
