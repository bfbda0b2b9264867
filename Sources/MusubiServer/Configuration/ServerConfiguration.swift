// SPDX-License-Identifier: Apache-2.0
package import MusubiSession

/// Everything about the server that an operator may change; the defaults are right for production.
package struct ServerConfiguration: Sendable {
  /// The address to listen on; `0.0.0.0` or `::` for all of the machine's.
  package var host = "127.0.0.1"
  /// The port; 0 takes any free one, which `Server.port` then tells.
  package var port: UInt16 = 8080
  /// Descriptors of listening sockets that were handed over; then `host` and `port` do not count.
  ///
  /// They stay open when the server stops: who connects meanwhile waits for the next one.
  package var inheritedSockets: [Int32] = []
  /// The certificate that TLS shows; nil: connections are plain.
  package var certificateFiles: CertificateFiles?
  /// How many event loops run, each a thread with its own listen socket; at least 1.
  package var loops = 1
  /// Origins besides the server's own whose pages may connect, such as `https://example.org`; `*` for all.
  package var allowedOrigins: [String] = []

  /// Names of this server, such as `example.org`, under which its own pages may connect; `*` for all.
  ///
  /// IP addresses and `localhost` need no mention, nor do the hosts of `allowedOrigins`. A browser that was led to
  /// this address under another name (DNS rebinding) shows a foreign page, although it calls its origin our own.
  package var allowedHosts: [String] = []

  /// What pages may load, run and be shown in.
  package var securityHeaders = SecurityHeaders()
  /// The folder with the pages.
  package var publicFolder = "Public"
  /// Reads the pages again when they change, for authors.
  package var isDevelopment = false
  /// Who may see the site; nil for everybody.
  package var gate: AccessGate?
  /// The path of a raw echo for conformance suites; nil for none.
  package var conformanceEcho: String?

  /// Most open WebSockets of the whole server; the next one is refused with 503.
  package var maxConnections = 50_000
  /// The proxies that tell their visitors' addresses.
  package var trustedProxies = TrustedProxies()
  /// The longest message that a page may send; a longer one ends the connection with 1009.
  package var maxMessageBytes = 65_536
  /// The longest message that the echo for conformance suites takes.
  package var maxEchoBytes = 16 << 20
  /// How many messages an address may send, on all loops together, loopback excepted, and a /48 eight times as many; nil
  /// for no limit.
  package var messageRatePerAddress: MessageRate? = MessageRate(perSecond: 10_000, burst: 50_000)
  /// Whether the limits of addresses hold for loopback, too: for tests.
  package var countsLoopback = false
  /// Room for one request's header fields together.
  package var maxHeaderBytes = 16_384

  /// How much of an iteration accepting may take, which with TLS is mostly handshakes; one is made in any case.
  package var acceptBudget: Duration = .milliseconds(5)
  /// How long a request's header fields may take to arrive.
  package var handshakeTimeout: Duration = .seconds(10)
  /// How long a socket stays open between two plain requests.
  package var keepAliveTimeout: Duration = .seconds(15)
  /// After how much silence a ping asks whether the peer is still there.
  package var pingAfter: Duration = .seconds(20)
  /// After how much silence the peer counts as gone; more than `pingAfter`.
  package var hangUpAfter: Duration = .seconds(30)
  /// How long a request waits for who makes it.
  package var decisionTimeout: Duration = .seconds(6)
  /// How long a connection that is being closed may take to read earlier frames.
  package var closeTimeout: Duration = .seconds(3)
  /// How long a graceful stop waits for the connections; the process ends within 5 seconds.
  package var stopTimeout: Duration = .seconds(4)
  /// How long a graceful stop waits for the first request of those that were accepted before.
  package var stopGrace: Duration = .seconds(1)
  /// When the server stops, its pages come back after a random time up to this; each is told its own.
  package var restartSpread: Duration = .seconds(2)

  /// The bytes that the kernel keeps for a reader that stalls, per connection, before the rest waits in the room's log.
  package var sendBufferBytes = 262_144
  /// How many bytes of frames one write collects at most, except for a single longer frame.
  package var writeBatchBytes = 262_144

  /// Makes a configuration of the defaults.
  package init() {}
}
