// SPDX-License-Identifier: Apache-2.0
import MusubiStorage

/// The command line of servers that share a database: `cluster status [options]`, for their operator, at any time.
enum ClusterCommand {
  /// The verbs and options as a table for `--help`.
  static var help: String {
    """
      status                  the servers, and how many of the 4,096 slots of rooms each one has
      drain NODE              have a server give its slots to the others; it goes on without rooms of its own
      import FILE             copy the sessions.sqlite of a server that has ended, while no server uses the database

    \(parser.help)
    """
  }

  /// Does what the arguments say, and prints the result.
  ///
  /// - Parameters:
  ///   - arguments: The words after `cluster`.
  ///   - environment: The process's environment: `MUSUBI_CLUSTER` for `--cluster`.
  ///   - write: Takes the output.
  /// - Throws: `CommandLineError`, or a `StorageError`, with one sentence.
  static func run(_ arguments: [String], environment: [String: String], write: (String) -> Void)
    async throws
  {
    let words = arguments.prefix { !$0.hasPrefix("--") }
    var place = Place()
    try parser.parse(Array(arguments.dropFirst(words.count)), environment: environment, into: &place)
    guard let url = place.url else {
      throw CommandLineError("cluster needs the servers' database: --cluster URL.")
    }
    switch (words.first, words.count == 2 ? words.last.flatMap { Int64($0) } : nil) {
    case ("status", nil) where words.count == 1:
      let members = try PostgresClusterView(url: url).members()
      for line in table(members) { write(line) }
    case ("drain", let node?):
      guard try PostgresClusterView(url: url).drain(node) else {
        throw CommandLineError("There is no server \(node); see cluster status.")
      }
      write("Server \(node) gives its slots away.")
    case ("import", _) where words.count == 2:
      try await StoreCommand.importSessions(file: words[1], to: url, write)
    default:
      throw CommandLineError(
        "cluster takes status, drain NODE or import FILE, but \"\(words.joined(separator: " ").prefix(80))\" came; see cluster --help."
      )
    }
  }

  private struct Place {
    var url: String?
  }

  private static var parser: OptionParser<Place> {
    OptionParser(
      command: "cluster",
      options: [
        Option(name: "cluster", placeholder: "URL", help: "the servers' PostgreSQL database") {
          (target, text) throws(CommandLineError) in target.url = try StoreOption.url(text, of: "cluster")
        },
        Option(name: "cluster-file", placeholder: "FILE", help: "file of mode 0600 with that URL") {
          (target, text) throws(CommandLineError) in
          target.url = try StoreOption.url(inFile: text, of: "cluster-file")
        },
      ])
  }

  /// One line for each server, and one for slots that nobody has.
  static func table(_ members: [PostgresClusterView.Member]) -> [String] {
    guard !members.isEmpty else { return ["No server is there."] }
    let free = 4_096 - members.reduce(0) { $0 + $1.slots }
    let lines = members.map { member in
      let node = member.node
      return [
        "\(node.id)", node.address.isEmpty ? "alone" : node.address, "\(member.slots) slots",
        "here for \(node.age.components.seconds) s",
        node.silence > .seconds(1) ? "silent for \(node.silence.components.seconds) s" : "alive",
        node.isDraining ? "gives its slots away" : "", "build \(node.build)",
      ].filter { !$0.isEmpty }.joined(separator: "  ")
    }
    return lines + (free > 0 ? ["\(free) slots are nobody's."] : [])
  }
}
