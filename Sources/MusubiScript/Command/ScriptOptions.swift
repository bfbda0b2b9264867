// SPDX-License-Identifier: Apache-2.0
import MusubiClient

/// What the command line of `script` asks for.
struct ScriptOptions: Sendable {
  /// An argument that cannot be understood.
  struct Mistake: Error, Equatable {
    let message: String
  }

  /// The scripts; a folder stands for all `.musubi` files in it.
  var files: [String] = []
  /// The server to use; each script starts its own if nil.
  var url: ServerAddress?
  /// Whether all frames are printed.
  var isTracing = false
  /// Where to write a JUnit report.
  var junit: String?
  /// How many scripts run at a time.
  var jobs = 1
  /// How long a step may take.
  var deadline = Duration.seconds(2)
  /// What stands behind `--`.
  var serverArguments: [String] = []

  static let help = """
      --url URL        use the server at http://HOST:PORT instead of starting one
      --trace          print every frame
      --junit FILE     also write a report for CI systems
      --jobs N         run N scripts at a time (1)
      --deadline TIME  how long a step may take, such as 2s or 500ms (2s)

    A folder stands for all .musubi files in it, and what follows -- goes to the servers. The exit status is 0 if
    everything passed, 1 if a step failed, 2 if a script or an option is wrong.
    """

  /// Reads the arguments.
  init(_ arguments: [String]) throws(Mistake) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--trace": isTracing = true
      case "--url": url = try Self.address(Self.value(of: argument, &rest))
      case "--junit": junit = try Self.value(of: argument, &rest)
      case "--jobs": jobs = try Self.jobs(Self.value(of: argument, &rest))
      case "--deadline":
        let text = try Self.value(of: argument, &rest)
        guard let duration = Duration(scriptText: text), duration > .zero else {
          throw Mistake(message: "--deadline needs a time such as 2s or 500ms, not '\(text)'.")
        }
        deadline = duration
      case "--":
        serverArguments = Array(rest)
        rest = []
      default:
        guard !argument.hasPrefix("-") else {
          throw Mistake(message: "There is no option '\(argument)'; --help lists them.")
        }
        files += try Self.files(argument)
      }
    }
    guard !files.isEmpty else {
      throw Mistake(message: "Name at least one script; --help explains the rest.")
    }
  }

  private static func files(_ name: String) throws(Mistake) -> [String] {
    guard let found = ScriptFile.scripts(in: name) else { return [name] }
    guard !found.isEmpty else { throw Mistake(message: "The folder '\(name)' holds no .musubi file.") }
    return found
  }

  private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(Mistake) -> String {
    guard let value = rest.popFirst() else { throw Mistake(message: "\(option) needs a value.") }
    return value
  }

  private static func address(_ text: String) throws(Mistake) -> ServerAddress {
    do throws(ClientError) {
      return try ServerAddress(text)
    } catch {
      throw Mistake(message: "--url: \(error)")
    }
  }

  private static func jobs(_ text: String) throws(Mistake) -> Int {
    guard let number = Int(text), (1...64).contains(number) else {
      throw Mistake(message: "--jobs needs a number from 1 to 64, not '\(text)'.")
    }
    return number
  }
}
