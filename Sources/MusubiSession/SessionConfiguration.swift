// SPDX-License-Identifier: Apache-2.0

/// The limits and times of sessions and rooms.
public struct SessionConfiguration: Sendable {
  /// How long a session without a connection is kept for its page to return; default 10 minutes.
  public var sessionLifetime: Duration = .seconds(600)
  /// The same for a session that never took an input; default 15 seconds.
  ///
  /// Its page has nothing to lose: if it returns later, it begins another session and hands over what it shows.
  public var unusedSessionLifetime: Duration = .seconds(15)
  /// The most sessions without a connection that are kept, the newest ones; default 20,000.
  public var maxWaitingSessions = 20_000
  /// How long a room that nobody shows is kept with its state; default 10 minutes.
  public var roomLifetime: Duration = .seconds(600)
  /// The most bytes of an event loop's records in a store; nil for as many as there are.
  package var maxStoredBytes: Int?
  /// The most rooms per event loop; what nobody shows goes first, then pages are refused; default 100,000.
  public var maxRooms = 100_000
  /// The most screens that a session shows at a time; a ViewModel's request for one more is refused; default 32.
  public var maxScreens = 32
  /// The per cent of an event loop's memory that one identity or one address may hold, with its open pages; 1 to 100,
  /// default 25.
  public var peerShare = 25
  /// The most bytes of memory that the sessions and rooms of an event loop take, `peerShare` of that for one peer; nil,
  /// the default, for no limit.
  ///
  /// The server sets it from its own budget. Above it, sessions and rooms that nobody shows go, then new ones are refused.
  package var maxMemoryBytes: Int?
  /// The most turns that a room keeps for pages that return or fall behind; default 512.
  public var maxLogTurns = 512
  /// The most bytes of turns that a room keeps; default 64 KiB.
  public var maxLogBytes = 64 * 1_024
  /// From so many pages on a room has a crowd: those on another node get its turns together; default 32.
  package var leastCrowd = 32
  /// How much later the next turn of a room with a crowd may come for each of its pages; default 1 microsecond.
  package var turnPausePerPage: Duration = .microseconds(1)
  /// The most UTF-8 bytes of a two-way text; default 256 KiB.
  public var maxTextBytes = 256 * 1_024
  /// How long a row's text that is what its output shows keeps what edits need that come late; default 60 seconds.
  package var rowTextRest: Duration = .seconds(60)
  /// The most bytes of a frame, as pages are told; default 64 KiB, not above the server's own limit.
  ///
  /// Browsers' pages send edits in frames of up to 16 KiB: below that a long paste ends their sessions.
  public var maxFrameBytes = 64 * 1_024
  /// How many edits of a text are kept for those that come late; default 1,024.
  public var maxTextHistory = 1_024
  /// The most bytes of answers that wait for one connection before it is closed with 4001; default 256 KiB.
  public var maxOutboxBytes = 256 * 1_024
  /// How long a returning page may take to send its `resume` frame; default 75 seconds, so that a network that takes
  /// half a minute each way does not keep a page out for ever.
  public var resumeDeadline: Duration = .seconds(75)
  /// How long a new room takes what pages hand over before inputs, where pages may come back; default 2 seconds.
  package var handOverWindow: Duration = .seconds(2)
  /// How long pages of a restored screen wait for the values of its shared models; default 2 seconds, less than a page takes for a
  /// connection that has broken.
  package var modelWait: Duration = .seconds(2)
  /// How long a page waits while nobody knows where its room is at home, before it is told to come back; default 2 seconds.
  package var homeWait: Duration = .seconds(2)
  /// The most pages of an event loop that wait so; further ones are told to come back at once; default 10,000.
  package var maxPagesWithoutHome = 10_000
  /// How long an acknowledgement waits for an effect of its input; default 30 seconds, then it goes out and the log tells.
  public var effectDeadline: Duration = .seconds(30)
  /// After how long without an input somebody is idle, for rooms that tell who is there; default 60 seconds, at least one.
  ///
  /// Rooms look four times as often, so that it may take a quarter longer.
  public var idleAfter: Duration = .seconds(60)
  /// The most people that a room lists as present, and the count has all of them; default 100.
  public var maxListedPeople = 100
  /// How often a page must be heard, announced in `hello`; default 20 seconds.
  public var heartbeat: Duration = .seconds(20)
  /// How many messages a session may send before it is read from more slowly, and as many as five times that after a
  /// pause; nil for no limit.
  package var messageRate: MessageRate? = MessageRate(perSecond: 1_000, burst: 5_000)
  /// How long the inputs of one room may keep the loop before the others' have their turn; default 10 milliseconds.
  public var roomShare: Duration = .milliseconds(10)
  /// Whether `hello` carries the screen's names, so that the page can check its attributes; off in production.
  public var announcesNames = false
  /// Whether it carries beside the names who the visitor is.
  package var announcesVisitors = true

  /// The settings that are right for production.
  public init() {}
}
