// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiStorage
import Testing

@testable import Musubi

@Suite(.timeLimit(.minutes(5))) struct `The options and the command of several servers` {
  private func configuration(_ arguments: String...) throws -> Configuration {
    try ServeCommand.configuration(from: arguments, environment: [:])
  }

  @Test func `take a database, addresses and times`() throws {
    let read = try configuration(
      "--cluster", "postgres://musubi@db/musubi", "--node-listen", "10.0.0.5:7411", "--node-address",
      "[fd00::5]:7412", "--node-silence", "2000", "--balance-after", "5", "--ready-delay", "0")
    #expect(read.clusterURL == "postgres://musubi@db/musubi")
    #expect(read.nodeListen == "10.0.0.5:7411" && read.nodeAddress == "[fd00::5]:7412")
    #expect(read.nodeSilence == .seconds(2) && read.balanceAge == .seconds(5) && read.readyDelay == .zero)
    #expect(read.keepsSessions)
  }

  @Test(
    arguments: [
      (["--cluster", "mysql://db"], "--cluster takes a URL such as postgres://"),
      (["--cluster", "postgres://ann:secret@db/m"], "--cluster has a password"),
      (
        ["--cluster", "postgres://db/m", "--store", "postgres://db/m"], "--cluster takes the place of --store"
      ),
      (["--cluster", "postgres://db/m", "--sessions", "memory"], "--cluster says where"),
      (["--node-listen", "7411"], "--node-listen takes an address and a port"),
      (["--node-address", "fd00::5"], "--node-address takes an address and a port"),
      (["--node-silence", "5"], "--node-silence takes milliseconds, 600 to 60000"),
    ]) func `refuse what cannot be meant`(arguments: [String], sentence: String)
  {
    let error = #expect(throws: CommandLineError.self) {
      try ServeCommand.configuration(from: arguments, environment: [:])
    }
    #expect(error?.description.contains(sentence) == true)
    #expect(error?.description.contains("secret") == false)
  }

  @Test func `know hosts and ports`() {
    #expect(NodeAddress("db.example.org:5") == NodeAddress(host: "db.example.org", port: 5))
    #expect(NodeAddress("[::1]:65535") == NodeAddress(host: "::1", port: 65_535))
    #expect(
      NodeAddress(host: "::1", port: 5).text == "[::1]:5" && NodeAddress(host: "a", port: 5).text == "a:5")
    for wrong in ["", ":5", "a:", "a:65536", "::1:5", "[]:5"] {
      #expect(NodeAddress(wrong) == nil, "\(wrong)")
    }
  }

  @Test(
    arguments: [
      ([], "cluster needs the servers' database"),
      (["status", "now", "--cluster", "postgres://db/m"], "cluster takes status, drain NODE or import FILE"),
      (["import", "--cluster", "postgres://db/m"], "cluster takes status, drain NODE or import FILE"),
      (
        ["import", "/nowhere/sessions.sqlite", "--cluster", "postgres://db/m"],
        "There is no sessions.sqlite in /nowhere"
      ),
      (
        ["drain", "first", "--cluster", "postgres://db/m"], "cluster takes status, drain NODE or import FILE"
      ),
    ]) func `refuse what they do not know`(arguments: [String], sentence: String) async
  {
    let error = await #expect(throws: CommandLineError.self) {
      try await ClusterCommand.run(arguments, environment: [:]) { _ in }
    }
    #expect(error?.description.contains(sentence) == true)
  }

  @Test func `refuse what several servers cannot share, and an address that nobody can call`() throws {
    var read = try configuration("--cluster", "postgres://db/m", "--node-listen", "0.0.0.0:7411")
    let error = #expect(throws: StorageError.self) { try RunningCluster.check(read, relays: []) }
    #expect(error?.description.contains("--node-address HOST:PORT") == true)
    read.nodeAddress = "10.0.0.5:7411"
    #expect(throws: Never.self) { try RunningCluster.check(read, relays: []) }
    let refused = #expect(throws: StorageError.self) {
      try RunningCluster.check(read, relays: ["Tea/Tea.swift:7"])
    }
    #expect(refused?.description.contains("in Tea/Tea.swift:7,") == true)
    read.clusterURL = nil
    #expect(throws: Never.self) { try RunningCluster.check(read, relays: ["Tea/Tea.swift:7"]) }
  }

  @Test func `show each server, and what is nobody's`() {
    var silent = DirectoryNode(id: 2, address: "", build: "b", loops: 1)
    (silent.silence, silent.isDraining) = (.seconds(7), true)
    let living = DirectoryNode(id: 1, address: "10.0.0.5:7", build: "b", loops: 2, age: .seconds(90))
    let lines = ClusterCommand.table([
      PostgresClusterView.Member(node: living, slots: 4_000),
      PostgresClusterView.Member(node: silent, slots: 90),
    ])
    #expect(lines[0] == "1  10.0.0.5:7  4000 slots  here for 90 s  alive  build b")
    #expect(lines[1] == "2  alone  90 slots  here for 0 s  silent for 7 s  gives its slots away  build b")
    #expect(lines.last == "6 slots are nobody's." && lines.count == 3)
    #expect(ClusterCommand.table([]) == ["No server is there."])
  }
}
