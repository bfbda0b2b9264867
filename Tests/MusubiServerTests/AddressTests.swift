// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiSession
import Testing

@Suite struct `A path in the log` {
  @Test(arguments: [
    ("/photos/0123456789abcdef0123456789abcdef", "/photos/0123…"),
    ("/musubi/uploads/" + String(repeating: "a-_Z", count: 40) + "/part", "/musubi/uploads/a-_Z…/part"),
    ("/a/0123456789abcdef", "/a/0123456789abcdef"), ("/", "/"), ("", ""),
    ("/guides/a-page-with-a-very-long-name-indeed.html", "/guides/a-page-with-a-very-long-name-indeed.html"),
    ("/結び/" + String(repeating: "長", count: 40), "/結び/" + String(repeating: "長", count: 40)),
  ])
  func `shows what may be a secret by its first letters`(path: String, shown: String) {
    #expect(HTTPRequest.logged(path) == shown)
  }
}

@Suite struct `Addresses` {
  @Test(arguments: [
    ("192.0.2.7", "192.0.2.7", [Peer.address("192.0.2.7")]),
    ("::ffff:192.0.2.7", "192.0.2.7", [.address("192.0.2.7")]),
    (
      "2001:DB8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6",
      [.address("2001:db8:1:2::/64"), .network("2001:db8:1::/48")]
    ),
    ("2001:db8::1", "2001:db8::1", [.address("2001:db8::/64"), .network("2001:db8::/48")]),
    ("::1", "::1", [.address("::/64"), .network("::/48")]),
  ])
  func `count as a whole, or as their networks`(_ text: String, _ written: String, _ peers: [Peer]) throws {
    let address = try #require(IPAddress(text))

    #expect(address.text == written)
    #expect(address.peers == peers)
  }

  @Test(arguments: [
    "", "1.2.3", "1.2.3.256", "1.2.3.4:80", "[::1]", "fe80::1%eth0", "unknown", "_a", "1.2.3.4 ", "::g",
  ])
  func `are nothing else`(_ text: String) { #expect(IPAddress(text) == nil) }

  @Test func `of this machine are known in each form`() {
    for text in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
      #expect(IPAddress(text)?.isLoopback == true)
    }
    for text in ["128.0.0.1", "::2", "10.0.0.1"] { #expect(IPAddress(text)?.isLoopback == false) }
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.0", false), ("0.0.0.0/0", "192.0.2.1", true),
    ("0.0.0.0/0", "2001:db8::1", false), ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
    ("192.0.2.1/32", "::ffff:192.0.2.1", true), ("2001:db8::/32", "2001:db8:ffff::1", true),
    ("2001:db8::/32", "2001:db9::", false), ("::/0", "2001:db8::1", true), ("::1/128", "::1", true),
    ("::1/128", "::2", false), ("2001:db8:0:1::/64", "2001:db8:0:1:ffff::", true),
    ("2001:db8:0:1::/64", "2001:db8:0:2::", false),
  ])
  func `are in a network or not`(_ network: String, _ address: String, _ isInside: Bool) throws {
    #expect(try #require(IPNetwork(network)).contains(try #require(IPAddress(address))) == isInside)
  }

  @Test(arguments: [
    "", "10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/+8", "2001:db8::1/32", "2001:db8::/129",
    "::ffff:10.0.0.0/104", "proxy.example/8", "10.0.0.0/8/8",
  ])
  func `make no network of anything else`(_ text: String) { #expect(IPNetwork(text) == nil) }
}

@Suite struct `A visitor behind trusted proxies` {
  private let proxies = TrustedProxies(
    ["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"].compactMap { IPNetwork($0) })

  private func visitor(_ headers: [String: String], at socket: String = "127.0.0.1") throws -> String {
    proxies.visitor(of: try #require(IPAddress(socket)), headers).address.text
  }

  @Test(arguments: [
    // The nearest that is no proxy; what comes before it is a claim.
    ("192.0.2.1", "192.0.2.1"), ("198.51.100.9, 192.0.2.1", "192.0.2.1"),
    ("192.0.2.1, 10.1.1.1", "192.0.2.1"),
    ("192.0.2.1,10.1.1.1,2001:db8::7", "192.0.2.1"), ("10.1.1.1, 10.2.2.2", "10.1.1.1"),
    // With ports and brackets.
    ("192.0.2.1:443", "192.0.2.1"), ("[2001:db9::1]:443", "2001:db9::1"), ("[2001:db9::1]", "2001:db9::1"),
    ("2001:db9::1", "2001:db9::1"), ("::ffff:192.0.2.1", "192.0.2.1"),
    // Up to what cannot be read: the last good one.
    ("192.0.2.1, unknown, 10.1.1.1", "10.1.1.1"), ("192.0.2.1, , 10.1.1.1", "10.1.1.1"), ("", "127.0.0.1"),
    ("\", 192.0.2.1", "192.0.2.1"), ("\u{600}, 192.0.2.1", "192.0.2.1"),
    ("\"198.51.100.9, 192.0.2.1", "192.0.2.1"),
    ("unknown", "127.0.0.1"), ("192.0.2.1:port:", "127.0.0.1"), ("192.0.2.1;", "127.0.0.1"),
    ("[192.0.2.1]", "127.0.0.1"), ("[2001:db9::1", "127.0.0.1"), ("[2001:db9::1]x", "127.0.0.1"),
  ])
  func `is read from X-Forwarded-For`(_ text: String, _ address: String) throws {
    #expect(try visitor(["x-forwarded-for": text]) == address)
  }

  @Test(arguments: [
    ("for=192.0.2.1", "192.0.2.1"), ("For=192.0.2.1;proto=https;by=10.0.0.1", "192.0.2.1"),
    (#"by=10.0.0.1 ; for = 192.0.2.1"#, "192.0.2.1"), (#"for="[2001:db9::1]:1234""#, "2001:db9::1"),
    (#"for="192.0.2.1:80", for=10.1.1.1"#, "192.0.2.1"),
    (#"for="_a,for=192.0.2.9", for=10.1.1.1"#, "10.1.1.1"),
    ("for=192.0.2.1, for=unknown", "127.0.0.1"), ("for=192.0.2.1, for=_hidden, for=10.1.1.1", "10.1.1.1"),
    ("for=192.0.2.1, proto=https", "127.0.0.1"), ("for=, for=10.1.1.1", "10.1.1.1"), ("for", "127.0.0.1"),
    (#"for="192.0.2.1"#, "127.0.0.1"), (#"host="a\",for=192.0.2.9";for=192.0.2.1"#, "192.0.2.1"),
    // What a visitor begins hides nothing of what its proxy has written behind it.
    (#"for=127.0.0.1;x=", for=192.0.2.1"#, "192.0.2.1"), (#"x="\, for=192.0.2.1;host="a,b""#, "192.0.2.1"),
    (#"for=127.0.0.1;x=", for="[2001:db9::1]""#, "2001:db9::1"),
    (#"for=198.51.100.9;x=", for=10.1.1.1"#, "10.1.1.1"),
  ])
  func `is read from Forwarded`(_ text: String, _ address: String) throws {
    #expect(try visitor(["forwarded": text]) == address)
  }

  @Test(arguments: [
    ("", false), ("192.0.2.1, ", false), ("192.0.2.1, unknown", false), ("_hidden", false),
    ("unknown, 127.0.0.1", false), ("192.0.2.1", true), ("127.0.0.1", true),
  ])
  func `is known, or one of those who are not`(_ text: String, _ isKnown: Bool) throws {
    let proxy = try #require(IPAddress("127.0.0.1"))

    #expect(proxies.visitor(of: proxy, ["x-forwarded-for": text]).isKnown == isKnown)
    #expect(proxies.visitor(of: proxy, [:]).isKnown)
  }

  @Test func `is who X-Forwarded-For says, whatever Forwarded claims`() throws {
    #expect(try visitor(["x-forwarded-for": "192.0.2.1", "forwarded": "for=198.51.100.9"]) == "192.0.2.1")
  }

  @Test func `is the socket's owner where that is no proxy`() throws {
    #expect(try visitor(["x-forwarded-for": "192.0.2.1"], at: "198.51.100.9") == "198.51.100.9")
  }
}
