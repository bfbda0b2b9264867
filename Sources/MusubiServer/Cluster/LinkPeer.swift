// SPDX-License-Identifier: Apache-2.0

/// Another node, as links are made to it.
package struct LinkPeer: Sendable, Equatable {
  /// Its incarnation.
  package let node: Int64
  /// Where it takes links: `host:port`, with brackets around a host that has colons.
  package let address: String
  /// How many loops it has.
  package let loops: Int
  /// What this process calls it.
  package let number: Int

  package init(node: Int64, address: String, loops: Int, number: Int) {
    self.node = node
    self.address = address
    self.loops = loops
    self.number = number
  }
}
