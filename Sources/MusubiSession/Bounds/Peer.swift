// SPDX-License-Identifier: Apache-2.0

/// Somebody whose share of the server is limited: whoever comes under a known name, or from one address.
///
/// A visitor counts against all of its peers: what one of them may not have any more, it does not get.
package enum Peer: Hashable, Sendable {
  /// A visitor whom the application knows.
  case identity(String)
  /// An IPv4 address, or the /64 of an IPv6 address.
  case address(String)
  /// The /48 of an IPv6 address, whose limits are eight times as wide.
  case network(String)
}

extension Peer {
  /// The peer as text: for a store, and for logs.
  package var text: String {
    switch self {
    case .identity(let name): "i:\(name)"
    case .address(let address): "a:\(address)"
    case .network(let network): "n:\(network)"
    }
  }

  /// How many times the limits of an identity the peer has: an address `addressFactor` times, a /48 eight times as many.
  package func width(_ addressFactor: Int) -> Int {
    switch self {
    case .identity: 1
    case .address: addressFactor
    case .network: 8 * addressFactor
    }
  }

  /// The address or network; nil for a name.
  var network: String? {
    switch self {
    case .identity: nil
    case .address(let text), .network(let text): text
    }
  }

  /// The peer of a text that `text` has made; nil for others.
  package init?(_ text: String) {
    let name = String(text.dropFirst(2))
    switch text.prefix(2) {
    case "i:": self = .identity(name)
    case "a:": self = .address(name)
    case "n:": self = .network(name)
    default: return nil
    }
  }
}
