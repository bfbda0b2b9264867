// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiSession
import MusubiStorage

/// The command line of a server's store: `store list [options]`, for its operator while the server is stopped.
///
/// It shows the events that have ended the process again and again, and the server's measures; it lifts
/// strikes, and puts rooms back.
enum StoreCommand {
  /// The verbs and options as a table for `--help`.
  static var help: String {
    """
      list                    strikes (events that have ended the process), and rooms that were put aside
      lift N                  forget strike N, so that its input is run again; `lift all`: every strike
      show N                  the stored state of the room N that was put aside, as JSON
      put-back N              store the shared room N again; its newer state is put aside
      delete N                forget the room N that was put aside
      import                  copy what sessions.sqlite of --data has into an empty PostgreSQL store

    The server must be stopped: one process at a time uses its data folder, or its store.

    \(parser.help)
    """
  }

  /// Does what the arguments say, and prints the result.
  ///
  /// - Parameters:
  ///   - arguments: The words after `store`.
  ///   - environment: The process's environment: `MUSUBI_DATA` for `--data`.
  ///   - write: Takes the output.
  /// - Throws: `CommandLineError`, or a store's error, with one sentence.
  static func run(
    _ arguments: [String], environment: [String: String], write: (String) -> Void
  ) async throws {
    let (action, place) = try read(arguments, environment: environment)
    if case .importSessions = action { return try await importSessions(place, write) }
    let store = try place.open()
    do {
      try await perform(action, on: store, write)
    } catch {
      await store.close()
      throw error
    }
    await store.close()
  }

  private enum Action {
    case list, liftAll, importSessions
    case lift(Int), show(Int), putBack(Int), delete(Int)
  }

  /// Where a server stores.
  private struct Place {
    var folder = ""
    var url: String?

    func open() throws -> any DurableStore {
      if let url {
        var place = PostgresStoreConfiguration(url: url)
        // Its server has ended if nobody uses its folder; else this waits until it is silent.
        if !folder.isEmpty { place.node = try DataFolder(folder).node }
        return try PostgresSessionStore(place) { _ in }
      }
      try checkFile()
      return try SQLiteSessionStore(folder: folder)
    }

    /// Sees to it that a server has stored in the folder.
    func checkFile() throws(CommandLineError) {
      guard FileManager.default.fileExists(atPath: folder + "/sessions.sqlite") else {
        throw CommandLineError(
          "There is no sessions.sqlite in \(folder); name the folder that the server is given by --data.")
      }
    }
  }

  private static var parser: OptionParser<Place> {
    OptionParser(
      command: "store",
      options: [
        Option(name: "data", placeholder: "DIR", help: "the server's data folder") {
          (target, text) throws(CommandLineError) in target.folder = text
        },
        Option(name: "store", placeholder: "URL", help: "the server's PostgreSQL store, if it has one") {
          (target, text) throws(CommandLineError) in target.url = try StoreOption.url(text)
        },
        Option(name: "store-file", placeholder: "FILE", help: "file of mode 0600 with that URL") {
          (target, text) throws(CommandLineError) in target.url = try StoreOption.url(inFile: text)
        },
      ])
  }

  private static func read(
    _ arguments: [String], environment: [String: String]
  ) throws(CommandLineError) -> (action: Action, place: Place) {
    let words = arguments.prefix { !$0.hasPrefix("--") }
    var place = Place()
    try parser.parse(Array(arguments.dropFirst(words.count)), environment: environment, into: &place)
    guard !place.folder.isEmpty || place.url != nil else {
      throw CommandLineError("store needs the place of the server's state: --data DIR, or --store URL.")
    }
    let action: Action? =
      switch (words.first, words.count == 2 ? words.last : nil) {
      case ("list", nil) where words.count == 1: .list
      case ("import", nil) where words.count == 1: .importSessions
      case ("lift", "all"): .liftAll
      case ("lift", let word?): Int(word).map { .lift($0) }
      case ("show", let word?): Int(word).map { .show($0) }
      case ("put-back", let word?): Int(word).map { .putBack($0) }
      case ("delete", let word?): Int(word).map { .delete($0) }
      default: nil
      }
    guard let action else {
      throw CommandLineError(
        "store takes list, lift N, lift all, show N, put-back N, delete N or import, but "
          + "\"\(words.joined(separator: " ").prefix(80))\" came; see store --help.")
    }
    return (action, place)
  }

  private static func perform(
    _ action: Action, on store: any DurableStore, _ write: (String) -> Void
  ) async throws {
    switch action {
    case .importSessions: break  // It has two stores, and was done before this one was opened.
    case .list:
      list(try await store.strikes(), try await store.asideRooms(), write)
    case .liftAll:
      write("Lifted: \(try await store.liftStrikes(nil)).")
    case .lift(let id):
      guard try await store.liftStrikes(id) > 0 else { throw missing("strike", id) }
      write("Lifted: strike \(id).")
    case .show(let id):
      guard let found = try await store.asideRooms().first(where: { $0.id == id }) else {
        throw missing("room", id)
      }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      write(String(decoding: try encoder.encode(found.room), as: UTF8.self))
    case .putBack(let id):
      try await putBack(id, in: store, write)
    case .delete(let id):
      guard try await store.deleteAside(id) else { throw missing("room", id) }
      write("Deleted: room \(id).")
    }
  }

  /// Copies what a file has into a database.
  ///
  /// - Parameters:
  ///   - file: The `sessions.sqlite` of a data folder, or that folder.
  ///   - url: The database.
  ///   - write: Takes the output.
  /// - Throws: `CommandLineError`, or a `StorageError`, with one sentence.
  static func importSessions(file: String, to url: String, _ write: (String) -> Void) async throws {
    let name = URL(fileURLWithPath: file)
    let folder = name.lastPathComponent == "sessions.sqlite" ? name.deletingLastPathComponent() : name
    try await importSessions(Place(folder: folder.path, url: url), write)
  }

  /// Copies what the file has into the other store.
  private static func importSessions(_ place: Place, _ write: (String) -> Void) async throws {
    guard let url = place.url, !place.folder.isEmpty else {
      throw CommandLineError("store import needs both: --data DIR with sessions.sqlite, and --store URL.")
    }
    try place.checkFile()
    // Its lock goes before that of the file comes.
    let node = try DataFolder(place.folder).node
    let file = try SQLiteSessionStore(folder: place.folder)
    do {
      let store = try PostgresSessionStore(PostgresStoreConfiguration(url: url, node: node)) { _ in }
      let done: StoreImport
      do { done = try await store.importAll(of: file) } catch {
        await store.close()
        throw error
      }
      await store.close()
      for sentence in done.broken { write(sentence) }
      write(
        "Imported: \(count(done.rooms, "room")), \(count(done.sessions, "session")), "
          + "\(count(done.strikes, "strike")), \(count(done.aside, "room")) put aside.")
      guard done.broken.isEmpty else {
        throw StorageError("\(count(done.broken.count, "record")) cannot be read; all others are imported.")
      }
    } catch {
      await file.close()
      throw error
    }
    await file.close()
  }

  private static func count(_ number: Int, _ what: String) -> String {
    "\(number) \(what)\(number == 1 ? "" : "s")"
  }

  private static func putBack(
    _ id: Int, in store: any DurableStore, _ write: (String) -> Void
  ) async throws {
    guard let found = try await store.asideRooms().first(where: { $0.id == id }) else {
      throw missing("room", id)
    }
    guard !found.room.room.key.isPrivate else {
      throw CommandLineError(
        "Room \(id) belonged to one page's session, which has begun again; show it, or delete it.")
    }
    guard let done = try await store.putBack(id, at: Date().timeIntervalSince1970) else {
      throw missing("room", id)
    }
    write("Stored again: \(name(of: done.room)).")
    if done.hasReplaced { write("What had become of it since is put aside; its pages begin again.") }
  }

  private static func missing(_ what: String, _ id: Int) -> CommandLineError {
    CommandLineError("There is no \(what) \(id); store list shows what there is.")
  }

  private static func list(
    _ strikes: [Strike], _ rooms: [(id: Int, room: AsideRoom)], _ write: (String) -> Void
  ) {
    write(strikes.isEmpty ? "No strikes." : "Strikes (lift N):")
    for strike in strikes {
      let what = strike.input.map { "\(strike.kind) \($0.number) of session \($0.session) in " }
      let state =
        strike.isOut ? "is refused" : "\(strike.count) of \(Strike.limit), is run again"
      write(
        "  \(strike.id)  \(time(strike.last))  \(SignalName.of(strike.signal))  "
          + "\(what ?? "\(strike.kind) of ")\(name(of: strike.room)): \(state)")
    }
    write(rooms.isEmpty ? "No room is put aside." : "Rooms put aside (show N, put-back N, delete N):")
    for (id, aside) in rooms {
      write(
        "  \(id)  \(time(aside.time))  \(SignalName.of(aside.signal))  "
          + "\(aside.kind) of \(name(of: aside.room.key)), with \(aside.sessions.count) sessions")
    }
  }

  private static func time(_ seconds: Double) -> String {
    Date(timeIntervalSince1970: seconds).formatted(.iso8601)
  }

  private static func name(of room: RoomKey) -> String {
    "\(room.screen) \(room.isPrivate ? "of session" : "in room") \(room.name)"
  }
}
