// SPDX-License-Identifier: Apache-2.0
import Glibc
package import MusubiSession

/// An address of the Internet; an IPv4 address that is written as one of IPv6 (`::ffff:192.0.2.1`) is one of IPv4.
package struct IPAddress: Hashable, Sendable {
  /// The 16 bytes as IPv6 has them, in two words.
  let high: UInt64
  let low: UInt64

  /// What IPv6 puts in front of the 32 bits of an IPv4 address.
  private static let mapped: UInt64 = 0xFFFF << 32

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads an address without port, brackets or zone; nil if the text is none.
  package init?(_ text: some StringProtocol) {
    let text = String(text)
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      self.init(high: 0, low: Self.mapped | UInt64(UInt32(bigEndian: four.s_addr)))
      return
    }
    var six = in6_addr()
    guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
    let words = withUnsafeBytes(of: &six) { bytes in
      (0..<2).map { word in bytes[word * 8..<word * 8 + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    }
    self.init(high: words[0], low: words[1])
  }

  /// Whether it is an address of IPv4.
  var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

  /// Whether it is of this machine.
  package var isLoopback: Bool { isIPv4 ? (low >> 24) & 0xFF == 127 : high == 0 && low == 1 }

  /// The address as text; that of IPv4 in four numbers.
  package var text: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
      guard let start = text.baseAddress else { return "" }
      if isIPv4 {
        var address = in_addr(s_addr: UInt32(truncatingIfNeeded: low).bigEndian)
        return inet_ntop(AF_INET, &address, start, socklen_t(text.count)).map { String(cString: $0) } ?? ""
      }
      var words = (high.bigEndian, low.bigEndian)
      return inet_ntop(AF_INET6, &words, start, socklen_t(text.count)).map { String(cString: $0) } ?? ""
    }
  }

  /// The peers that the address belongs to, the narrowest first: all of an IPv4 address; of an IPv6 address the /64, which
  /// is one network at somebody's, and the /48, which is all that a customer gets at most.
  package var peers: [Peer] {
    if isIPv4 { return [.address(text)] }
    let (site, network) = (Self(high: high & ~0xFFFF, low: 0), Self(high: high, low: 0))
    return [.address(network.text + "/64"), .network(site.text + "/48")]
  }
}

/// A range of addresses, such as `10.0.0.0/8` or `2001:db8::/32`; an address alone is a range of one.
package struct IPNetwork: Hashable, Sendable {
  private let first: IPAddress
  /// How many bits of the 128 are the same for all of its addresses.
  private let bits: Int

  /// Reads a range; nil if the text is none, or has bits beyond its prefix.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first.flatMap({ IPAddress($0) }) else { return nil }
    // An IPv4 address in the clothes of IPv6 would have two meanings of its prefix.
    guard !first.isIPv4 || !text.contains(":") else { return nil }
    let widest = first.isIPv4 ? 32 : 128
    var bits = 128
    if parts.count > 1 {
      guard parts[1].utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
        let count = Int(parts[1]), count <= widest
      else { return nil }
      bits = 128 - widest + count
    }
    (self.first, self.bits) = (first, bits)
    guard contains(first) else { return nil }
  }

  /// Whether an address is one of the range.
  package func contains(_ address: IPAddress) -> Bool { Self.prefix(of: address, bits) == first }

  private static func prefix(of address: IPAddress, _ bits: Int) -> IPAddress {
    // Swift's shifts take more than the width of a word.
    let high = address.high & ~(UInt64.max >> UInt64(min(bits, 64)))
    let low = address.low & ~(UInt64.max >> UInt64(max(bits - 64, 0)))
    return IPAddress(high: high, low: low)
  }
}
