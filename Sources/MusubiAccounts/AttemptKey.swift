// SPDX-License-Identifier: Apache-2.0
import Musubi
import MusubiServer
package import MusubiSession

/// The thing for which attempts are counted.
package enum AttemptKey: Hashable, Sendable {
  /// The passwords that are tried for an address, whether it has an account or not.
  case password(String)
  /// The links that are sent to an address, but for a forgotten password.
  case link(String)
  /// The links for a forgotten password that are sent to an address: who signs up in its name must not keep them from it.
  case reset(String)
  /// The notices that are sent to an address: asking for links must not keep one from it.
  case notice(String)
  /// Whatever comes from a network address.
  case peer(Peer)

  /// The key as text.
  var text: String {
    switch self {
    case .password(let address): "password \(address)"
    case .link(let address): "link \(address)"
    case .reset(let address): "reset \(address)"
    case .notice(let address): "notice \(address)"
    case .peer(let peer): "peer \(peer.text)"
    }
  }

  /// The network addresses that somebody counts for: an IPv4 address, or the /64 and the /48 of an IPv6 address.
  static func peers(of address: String) -> [AttemptKey] {
    (IPAddress(address)?.peers ?? [.address(address)]).map(Self.peer)
  }

  /// The keys of a password that is tried for an address.
  ///
  /// Behind a proxy on the same machine that nobody has named all people have a loopback address; so there it counts for the
  /// account alone, or else wrong passwords of one of them would keep all others waiting.
  static func password(for address: String, from peer: String) -> [AttemptKey] {
    let isShared = IPAddress(peer)?.isLoopback ?? false
    return (isShared ? [] : peers(of: peer)) + [.password(address)]
  }

  /// How patient Musubi is.
  ///
  /// NIST SP 800-63B, section 5.2.2, allows a hundred wrong passwords in a row; five, and then one in five minutes at most, is
  /// some three hundred a day for an account, whoever tries.
  var limits: ThrottleLimits {
    switch self {
    case .password: ThrottleLimits(free: 5)
    case .link, .reset, .notice:
      ThrottleLimits(free: 3, firstWait: .seconds(60), longestWait: .seconds(3_600), memory: .seconds(86_400))
    case .peer(.network): ThrottleLimits(free: 160)
    case .peer: ThrottleLimits(free: 20)
    }
  }
}
