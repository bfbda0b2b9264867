// SPDX-License-Identifier: Apache-2.0
import MusubiWire

// The compiler's own conformances in this module read an optional value by this: `null` is a value, and is not missing.
extension KeyedDecodingContainer {
  /// A value that may be missing.
  func decodeIfPresent(_ type: Value.Type, forKey key: Key) throws -> Value? {
    contains(key) ? try decode(type, forKey: key) : Optional<Value>.none
  }
}
