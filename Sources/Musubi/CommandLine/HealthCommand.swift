// SPDX-License-Identifier: Apache-2.0
import Glibc
import MusubiServer

/// The command line that asks whether a server is well: `health [options]`, for containers and scripts.
enum HealthCommand {
  /// The options as a table for `--help`.
  static var help: String { parser.help }

  /// Asks the server on this machine for `/healthz`, and prints one sentence.
  ///
  /// - Parameters:
  ///   - arguments: The words after `health`.
  ///   - environment: The process's environment, the server's own: `MUSUBI_PORT`, `MUSUBI_HOST`, and
  ///     `MUSUBI_TLS_CERTIFICATE` if the server speaks TLS.
  ///   - write: Takes the sentence.
  /// - Returns: The exit status: 0 if the server is well, else 1.
  /// - Throws: `CommandLineError` if the arguments cannot be used.
  static func run(
    _ arguments: [String], environment: [String: String], write: (String) -> Void
  ) throws(CommandLineError) -> Int32 {
    var probe = HealthProbe(host: "127.0.0.1", port: 8_080, isSecure: false)
    try parser.parse(arguments, environment: environment, into: &probe)
    // A server that hangs up while it is asked must not end this process.
    signal(SIGPIPE, SIG_IGN)
    guard let problem = probe.problem() else {
      write("The server on port \(probe.port) is well.")
      return 0
    }
    write("The server on port \(probe.port) is not well: \(problem).")
    return 1
  }

  private static var parser: OptionParser<HealthProbe> {
    OptionParser(
      command: "health",
      options: [
        Option(name: "host", placeholder: "ADDRESS", help: "the server's address (127.0.0.1)") {
          (target, text) throws(CommandLineError) in
          // A server that listens everywhere is asked on this machine.
          target.host = ["0.0.0.0": "127.0.0.1", "::": "::1"][text] ?? text
        },
        Option(name: "port", placeholder: "N", help: "the server's port (8080)") {
          (target, text) throws(CommandLineError) in
          guard let port = UInt16(text), port > 0 else {
            throw CommandLineError(
              "--port takes a number from 1 to 65535, but \"\(text.prefix(80))\" came.")
          }
          target.port = port
        },
        Option(
          name: "tls-certificate", placeholder: "FILE",
          help: "the server speaks TLS; the file is not looked at"
        ) { (target, text) throws(CommandLineError) in target.isSecure = !text.isEmpty },
      ])
  }
}
