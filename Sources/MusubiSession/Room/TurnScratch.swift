// SPDX-License-Identifier: Apache-2.0
import MusubiBinding

/// What the rooms of a loop share, so that none needs its own.
final class TurnScratch {
  /// The one builder: turns come one after the other.
  var builder = TurnBuilder()
  private var schemas: [String: SharedSchema] = [:]

  /// The schema of a screen, the same object for all rooms that agree with it.
  func schema(of screen: String, _ schema: ScreenSchema) -> SharedSchema {
    if let shared = schemas[screen], shared.schema == schema { return shared }
    let shared = SharedSchema(schema)
    schemas[screen] = shared
    return shared
  }
}

/// A schema with what is worked out of it once.
final class SharedSchema {
  let schema: ScreenSchema
  let fingerprint: String

  init(_ schema: ScreenSchema) {
    self.schema = schema
    fingerprint = schema.fingerprint
  }
}
