// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiStorage

/// The URL of a PostgreSQL store, as `--store` or as a file.
enum StoreOption {
  /// Reads the URL of the command line, which everybody on the machine can see.
  static func url(_ text: String, of option: String = "store") throws(CommandLineError) -> String {
    // A wrong one may have a password, too: it is not quoted.
    guard let hasPassword = PostgresStoreConfiguration.hasPassword(text) else {
      throw CommandLineError("--\(option) takes a URL such as postgres://user@host:5432/database.")
    }
    guard !hasPassword else {
      throw CommandLineError(
        "--\(option) has a password, which everybody on this machine can read in the list of processes: give it by PGPASSWORD or ~/.pgpass, or the URL by --\(option)-file."
      )
    }
    return text
  }

  /// Reads the URL in a file that nobody but its owner may read.
  static func url(
    inFile path: String, of option: String = "store-file"
  ) throws(CommandLineError) -> String {
    func problem(_ reason: String) -> CommandLineError {
      CommandLineError("The file \"\(path.prefix(80))\" of --\(option) \(reason).")
    }
    let text: String
    do throws(PrivateFile.Problem) {
      text = try PrivateFile.read(path).trimmingCharacters(in: .whitespacesAndNewlines)
    } catch {
      throw problem(error.reason)
    }
    guard PostgresStoreConfiguration.hasPassword(text) != nil else {
      throw problem("has no URL such as postgres://user:password@host:5432/database")
    }
    return text
  }
}
