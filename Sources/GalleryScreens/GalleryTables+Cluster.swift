// SPDX-License-Identifier: Apache-2.0
import GalleryAPI
import Musubi
import MusubiServer

extension GalleryTables {
  /// The tables of an application's cluster, which tell its log what could not be written; blocks.
  ///
  /// - Parameter application: Whose configuration names the database.
  /// - Returns: The tables; nil if there is no cluster.
  /// - Throws: If the database cannot be reached.
  static func ofCluster(_ application: Application) throws -> GalleryTables? {
    let logger = application.configuration.logger
    return try application.configuration.clusterURL.map { url in
      try GalleryTables(url: url) { logger.log(.error, "gallery not written", ["message": $0]) }
    }
  }

  /// Asks the database for a route, and answers 503 while it is away.
  ///
  /// - Parameter work: Reads or writes.
  /// - Returns: What `work` returns.
  /// - Throws: `HTTPError` 503, or what `work` throws.
  static func reached<Output>(_ work: () async throws -> Output) async throws -> Output {
    do { return try await work() } catch  where isAway(error) {
      throw HTTPError(
        503, "The database cannot be reached at the moment; try again. データベースに接続できません。もう一度お試しください。",
        retryAfter: 5)
    }
  }
}
