// SPDX-License-Identifier: Apache-2.0
import CPostgres

/// Where a database is, and how long to wait for it.
package struct PostgresConfiguration: Sendable, Equatable {
  /// `postgres://user@host:port/database?name=value`, as libpq reads it; several hosts may stand there, separated by commas.
  ///
  /// A password that is not in it libpq takes from `PGPASSWORD`, or from the user's file `~/.pgpass`.
  package var url: String
  /// How long to wait for each host of the URL, in whole seconds; at least 2.
  package var connectTimeout: Duration = .seconds(5)
  /// How long to wait for the answer to a statement; then the connection is given up.
  package var answerTimeout: Duration = .seconds(20)
  /// What the server shows its operator as the client's name.
  package var applicationName = "musubi"

  package init(url: String) { self.url = url }

  /// Reads the URL without connecting.
  ///
  /// - Returns: Whether it holds a password.
  /// - Throws: `PostgresError` if it is none. A password with a character that a URL writes as `%40` or `%2F` would end early, and
  ///   be told as a host or a port.
  package func hasPassword() throws(PostgresError) -> Bool {
    // libpq may quote a part of the URL, and so of a password.
    let refusal = PostgresError(.other, "it is no URL such as postgres://user@host:5432/database")
    var problem: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(url, &problem) else {
      PQfreemem(problem)
      throw refusal
    }
    defer { PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    let ports = values["port", default: ""].split(separator: ",")
    guard !values["host", default: ""].contains("@"), ports.allSatisfy({ UInt16($0) != nil }) else {
      throw refusal
    }
    return values["password", default: ""] != ""
  }
}
