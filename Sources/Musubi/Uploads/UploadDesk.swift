// SPDX-License-Identifier: Apache-2.0
import Dispatch
import MusubiBinding
import MusubiServer
import MusubiSession

/// How much uploads may take, and how long they wait.
struct UploadLimits: Equatable {
  /// The uploads of one peer that are not finished.
  var uploadsPerPeer = 32
  /// Their bytes, as they were announced.
  var bytesPerPeer = 1 << 30
  /// The bytes of all uploads that are not finished.
  var bytes = 10 << 30
  /// How long an upload waits for its next byte.
  var lifetime: Duration = .seconds(86_400)
  /// How many times as much an address may have.
  var addressFactor = 8

  /// All uploads that are not finished.
  static let uploads = 4_096
  /// After so many seconds without a byte an upload goes, if another one of its visitor needs its room.
  static let idle = 600.0
  /// How many finished ones are remembered, for clients that have not heard so.
  static let finished = 10_000
}

/// Runs an actor that waits for disks on a thread of its own: tasks have few threads, and everybody else would wait.
private final class DiskExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "musubi.uploads")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// The uploads of a server: whose they are, how far they have come, and what they may take.
///
/// All that is true of an upload is in its files; a server that was killed goes on with them.
actor UploadDesk {
  /// Who sends something.
  struct Sender {
    /// Who it is, if that is known: nobody else may go on with the upload.
    var owner: String?
    /// Whom it counts against: each of them has its own bound.
    var peers: [Peer] = []
  }

  /// The right to append to an upload; void as soon as somebody else has asked for that.
  struct Ticket {
    fileprivate let id: String
    fileprivate let number: UInt64
    fileprivate let types: [String]
  }

  /// How far an upload has come.
  struct Progress {
    let id: String
    let record: UploadRecord
    let offset: Int
    /// When it is deleted, in seconds since 1970; nil if it is finished.
    let expires: Double?

    /// Whether the file has to be looked at, and given to the program or kept for its control.
    var isComplete: Bool { !record.isDone && record.contents == nil && offset == record.length }
  }

  private struct Entry {
    var record: UploadRecord
    var ticket: UInt64 = 0
    /// Where the next byte of the ticket belongs.
    var next = 0
    var isBeingTaken = false
    /// When the screen was told how far it has come, in seconds since 1970; nil if it shows nothing of it.
    var told: Double?
    /// What the browser calls the file, once the screen was told.
    var name: String?
  }

  private let executor = DiskExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  /// Waits for disks beside the others, which a large file may take seconds.
  private static let syncing = DispatchQueue(label: "musubi.uploads.sync", attributes: .concurrent)

  /// The files for controls of screens.
  nonisolated let arrived: ArrivedFiles
  private let arrivals: FileArrivals
  private let files: any UploadFiles
  private let limits: UploadLimits
  /// Whether other servers have the same files.
  private let isShared: Bool
  private let clock: @Sendable () -> Double
  private let entropy: @Sendable (Int) -> [UInt8]
  private var entries: [String: Entry] = [:]
  private var lastSweep = 0.0
  /// When uploads of other servers were looked for.
  private var lastLook: Double
  private var deletions: UploadDeletions
  /// Why something could not be noted.
  private var problem: UploadFailure?

  /// Finds the uploads that an earlier process has left.
  ///
  /// - Throws: `UploadFailure` if the files cannot be looked for, or what is known of one cannot be read.
  init(
    files: any UploadFiles, limits: UploadLimits = UploadLimits(), isShared: Bool = false,
    clock: @escaping @Sendable () -> Double,
    entropy: @escaping @Sendable (Int) -> [UInt8] = Cryptography.randomBytes,
    arrivals: FileArrivals = FileArrivals()
  ) throws(UploadFailure) {
    self.files = files
    deletions = UploadDeletions(files: files)
    self.limits = limits
    self.isShared = isShared
    self.clock = clock
    lastLook = clock()
    self.entropy = entropy
    self.arrivals = arrivals
    arrived = ArrivedFiles(sharing: isShared ? files : nil, clock: clock)
    for id in try files.all() {
      guard let record = try files.record(of: id) else {
        // An upload that begins right now in a process that ends has no record yet.
        if files.changed(id).map({ $0 + 60 < clock() }) ?? true { deletions.delete(id) }
        continue
      }
      if record.isDone { deletions.deleteBytes(id) }
      entries[id] = Entry(record: record)
      // Also one that was taken: its input may come again.
      if record.contents != nil, !record.isDone {
        arrived.add(id, record, at: files.path(of: id))
        if files.size(of: id) == nil { arrived.noteTaken(id) }
      }
    }
  }

  // MARK: - What clients ask for

  /// Begins an upload.
  ///
  /// - Parameters:
  ///   - record: What is known of it; the desk adds whose it is.
  ///   - sender: Who sends it.
  /// - Returns: The token that is the right to send it, and when it is deleted unless bytes come.
  /// - Throws: `HTTPError` 413 if it is more than its sender may ever have here, 429 or 507 if there is no room now;
  ///   `UploadFailure`.
  func begin(_ record: UploadRecord, from sender: Sender) throws -> (token: String, expires: Double) {
    if clock() >= lastSweep + 60 { sweep() }
    if lackOfRoom(for: record.length, from: sender.peers)?.status == 429 {
      removeIdle(of: sender.peers)
      if isShared { refresh(of: sender.peers) }
    }
    if let lack = lackOfRoom(for: record.length, from: sender.peers) { throw lack }
    let token = Hexadecimal.digits(entropy(16))
    let id = Self.id(of: token)
    var record = record
    (record.owner, record.peers) = (sender.owner, sender.peers.map(\.text))
    do {
      try storing {
        try files.begin(id)
        try files.keep(record, of: id)
      }
    } catch {
      deletions.delete(id)
      throw error
    }
    entries[id] = Entry(record: record)
    return (token, clock() + lifetime)
  }

  /// Why another upload has no room.
  private func lackOfRoom(for length: Int, from peers: [Peer]) -> HTTPError? {
    // A file that a ViewModel has is no longer its sender's, but its bytes are on the disk until it is taken or gone.
    let stored = entries.filter { !$0.value.record.isDone && !arrived.isTaken($0.key) }
    let bytes = stored.values.map(\.record)
    // Whether an input has had one that has arrived, another server may know.
    let unfinished = stored.filter {
      !arrived.isClaimed($0.key) && !(isShared && $0.value.record.contents != nil)
    }
    for peer in peers {
      let (name, width) = (peer.text, peer.width(limits.addressFactor))
      let most = limits.bytesPerPeer * width
      guard length <= most else { return HTTPError(413, "A visitor may have \(most) bytes on the way.") }
      guard unfinished.count(where: { $0.value.record.counts(for: name) }) < limits.uploadsPerPeer * width,
        bytes.filter({ $0.counts(for: name) }).reduce(length, { $0 + $1.length }) <= most
      else {
        return HTTPError(429, "Too many uploads wait for their end; finish or cancel some.", retryAfter: 60)
      }
    }
    guard unfinished.count < UploadLimits.uploads,
      bytes.reduce(length, { $0 + $1.length }) <= limits.bytes
    else { return HTTPError(507, "The server has no room for this file now.", retryAfter: 600) }
    return nil
  }

  /// Removes what the same visitor has left unfinished: a tab that was closed cannot say so.
  ///
  /// Of a visitor whom nobody knows only the address is known, which others may have as well.
  private func removeIdle(of peers: [Peer]) {
    let names = peers.filter { if case .identity = $0 { true } else { false } }.map(\.text)
    let latest = clock() - UploadLimits.idle
    for (id, entry) in entries where names.contains(where: entry.record.counts) && !entry.isBeingTaken {
      guard files.changed(id) ?? 0 <= latest else { continue }
      // It may have arrived at another server, for whose screen it waits.
      do throws(UploadFailure) { if isShared { try refresh(id) } } catch {
        problem = error
        continue
      }
      if let record = entries[id]?.record, !record.isDone, record.contents == nil { remove(id) }
    }
  }

  /// Looks what has become of a visitor's files that came here and may have been taken at another server.
  private func refresh(of peers: [Peer]) {
    let names = peers.map(\.text)
    for (id, entry) in entries where names.contains(where: entry.record.counts) && !entry.isBeingTaken {
      do throws(UploadFailure) { try refresh(id) } catch { problem = error }
      if files.size(of: id) == nil { entries[id]?.record.isDone = true }
    }
  }

  /// How far an upload has come; whoever was sending it may not go on.
  ///
  /// - Throws: `HTTPError` 404 or 410 if it is not there for this sender.
  func progress(_ token: String, at route: String, from sender: Sender) throws(HTTPError) -> Progress {
    let id = try find(token, at: route, from: sender)
    entries[id]?.ticket += 1
    return try progress(of: id)
  }

  /// Takes the right to append to an upload.
  ///
  /// - Parameters:
  ///   - token: The upload.
  ///   - route: Where it was begun.
  ///   - sender: Who sends it.
  ///   - offset: Where the bytes belong.
  ///   - count: How many there will be.
  ///   - types: The types that the file may have.
  /// - Returns: The right.
  /// - Throws: `HTTPError` 404 or 410 if it is not there for this sender, 409 if the bytes belong elsewhere, 413 if there are
  ///   too many.
  func resume(
    _ token: String, at route: String, from sender: Sender, offset: Int, count: Int, types: [String]
  ) throws(HTTPError) -> Ticket {
    let id = try find(token, at: route, from: sender)
    let progress = try progress(of: id)
    guard offset == progress.offset else {
      throw HTTPError(409, "The next byte of this upload is \(progress.offset), not \(offset).")
    }
    guard count <= progress.record.length - offset else {
      throw HTTPError(413, "This upload was announced with \(progress.record.length) bytes.")
    }
    entries[id]?.ticket += 1
    entries[id]?.next = offset
    return Ticket(id: id, number: entries[id]?.ticket ?? 0, types: progress.record.types ?? types)
  }

  /// Appends bytes.
  ///
  /// - Throws: `HTTPError` 409 if somebody else sends it now, 410 if it is gone, 413 if there are too many, 415 if the file has
  ///   a type that it must not have, which deletes it, 507 if the disk is full; `UploadFailure`.
  func append(_ bytes: [UInt8], by ticket: Ticket) throws {
    let id = ticket.id
    let progress = try progress(of: id)
    // The ticket is this server's; where the bytes end tells what another one has taken.
    guard entries[id]?.ticket == ticket.number, progress.offset == entries[id]?.next else {
      throw HTTPError(409, "Another request goes on with this upload.")
    }
    let end = progress.offset + bytes.count
    guard end <= progress.record.length else {
      throw HTTPError(413, "This upload was announced with \(progress.record.length) bytes.")
    }
    try storing { try files.append(bytes, to: id, at: progress.offset) }
    entries[id]?.next = end
    let head = min(FileType.headBytes, progress.record.length)
    if progress.offset < head, end >= head {
      let type = FileType.type(of: try files.bytes(of: id, at: 0, head), name: progress.record.name)
      do { try Self.check(type, for: ticket.types) } catch {
        remove(id)
        throw error
      }
    }
    tellScreen(of: id, received: end)
  }

  /// Refuses a file by its type.
  ///
  /// - Throws: `HTTPError` 415.
  static func check(_ type: String, for types: [String]) throws(HTTPError) {
    guard FileType.isOne(type, of: types) else {
      let wanted = types.joined(separator: ", ")
      throw HTTPError(415, "This is a file of type \(type); here go files of type \(wanted).")
    }
  }

  /// How far the upload of a ticket has come.
  ///
  /// - Throws: `HTTPError` 410 if it is gone.
  func progress(by ticket: Ticket) throws(HTTPError) -> Progress { try progress(of: ticket.id) }

  /// Ends an upload, and deletes what has arrived.
  ///
  /// - Throws: `HTTPError` 404 or 410 if it is not there for this sender, 423 if the program is given the file right now.
  func cancel(_ token: String, at route: String, from sender: Sender) throws(HTTPError) {
    let id = try find(token, at: route, from: sender)
    guard entries[id]?.isBeingTaken != true, !arrived.isClaimed(id) else { throw Self.busy }
    remove(id)
  }

  // MARK: - What the program is given

  /// What became of a file.
  enum Outcome {
    /// The program has had it; it is deleted unless it was taken.
    case taken
    /// It waits for the input of its control.
    case arrived(UploadRecord.Contents)
    /// The program does not want it.
    case refused
    /// The program has failed; it gets the file again when the client asks how far the upload has come.
    case failed
  }

  /// Begins to give a file to the program.
  ///
  /// - Returns: Where its bytes are; nil if the program has had it.
  /// - Throws: `HTTPError` 410 if it is gone, 423 if the program is given it right now; `UploadFailure` if the disk does not
  ///   have it, which deletes it: nobody knows which of its bytes are there, and another try would say that all are.
  func beginTaking(_ id: String) async throws -> String? {
    let progress = try progress(of: id)
    guard progress.isComplete else { return nil }
    guard entries[id]?.isBeingTaken != true else { throw Self.busy }
    entries[id]?.isBeingTaken = true
    do {
      try await withCheckedThrowingContinuation { [files] synced in
        Self.syncing.async { synced.resume(with: Result { try files.sync(id) }) }
      }
    } catch {
      entries[id]?.isBeingTaken = false
      if (error as? UploadFailure)?.isPassing != true { remove(id) }
      throw error
    }
    return files.path(of: id)
  }

  /// Some of the bytes of a file that is given to the program.
  func bytes(of id: String, at offset: Int, _ most: Int) throws(UploadFailure) -> [UInt8] {
    try files.bytes(of: id, at: offset, most)
  }

  /// Notes what became of a file.
  ///
  /// - Throws: `HTTPError` 507 if the disk is full, `UploadFailure`; a file that has arrived is looked at again when the client
  ///   asks how far the upload has come.
  func endTaking(_ id: String, _ outcome: Outcome) throws {
    entries[id]?.isBeingTaken = false
    switch outcome {
    case .failed: break
    case .refused: remove(id)
    case .arrived(let contents):
      guard var record = entries[id]?.record else { return }
      record.contents = contents
      try storing { try files.keep(record, of: id) }
      entries[id]?.record = record
      arrived.add(id, record, at: files.path(of: id))
      hideFromScreen(id)
    case .taken: try finish(id)
    }
  }

  private func finish(_ id: String) throws(UploadFailure) {
    // One that has arrived at another server was given away here.
    var known = entries[id]?.record
    if known == nil, isShared { known = try files.record(of: id) }
    guard var record = known else { return arrived.remove(id) }
    record.isDone = true
    entries[id] = entries[id] ?? Entry(record: record)
    entries[id]?.record = record
    // In this order: a record without bytes says as much, and a full disk has room for the record then.
    deletions.deleteBytes(id)
    try files.keep(record, of: id)
    arrived.remove(id)
  }

  // MARK: - Time

  /// Deletes what nobody has sent a byte of for too long.
  func sweep() {
    let now = clock()
    lastSweep = now
    deletions.tryAgain()
    finishReleased(at: now)
    if isShared {
      shareTimes(at: now)
      for id in Array(entries.keys) where entries[id]?.isBeingTaken == false && !arrived.isHeld(id) {
        do throws(UploadFailure) { try refresh(id) } catch { problem = error }
      }
    }
    var finished: [(id: String, changed: Double)] = []
    for (id, entry) in entries {
      if let told = entry.told, told + 60 <= now, !entry.isBeingTaken { hideFromScreen(id) }
    }
    for (id, entry) in entries where !entry.isBeingTaken && !arrived.isHeld(id) {
      let changed = files.changed(id) ?? 0
      if changed + lifetime <= now {
        remove(id)
      } else if entry.record.isDone {
        finished.append((id, changed))
      }
    }
    guard finished.count > UploadLimits.finished else { return }
    finished.sort { $0.changed < $1.changed }
    for (id, _) in finished.dropLast(UploadLimits.finished) { remove(id) }
  }

  /// Has the servers of one folder agree on what is too old: what is held here is not, and what was begun at a server that is
  /// gone is everybody's to delete.
  private func shareTimes(at now: Double) {
    for id in arrived.held { files.touch(id) }
    guard lastLook + 3_600 <= now else { return }
    lastLook = now
    do throws(UploadFailure) {
      for id in try files.all() where entries[id] == nil && !arrived.isHeld(id) {
        if let changed = files.changed(id), changed + lifetime <= now { remove(id) }
      }
    } catch { problem = error }
  }

  /// Ends the files that nobody holds, when their inputs no longer come again: a minute later what they did is stored.
  private func finishReleased(at now: Double) {
    for id in arrived.released(before: now - 60) {
      do throws(UploadFailure) { try finish(id) } catch { problem = error }
    }
  }

  /// Why something could not be noted, known or deleted since somebody asked last; it is tried again.
  func takeProblems() -> [UploadFailure] {
    defer { (problem, deletions.problem) = (nil, nil) }
    return [problem, deletions.problem, arrived.takeProblem()].compactMap(\.self)
  }

  /// Sweeps each minute until its task is cancelled.
  ///
  /// - Parameter report: Is told why something could not be noted, known or deleted.
  func sweepAlways(_ report: @Sendable (UploadFailure) -> Void) async {
    while (try? await Task.sleep(for: .seconds(60))) != nil {
      sweep()
      takeProblems().forEach(report)
    }
  }

  // MARK: - Private

  private static let busy = HTTPError(423, "The file of this upload is being looked at.", retryAfter: 1)
  private var lifetime: Double { Double(limits.lifetime.components.seconds) }

  /// Names an upload on the disk: whoever reads names there can send nothing.
  static func id(of token: String) -> String { Hexadecimal.digits(Cryptography.sha256(Array(token.utf8))) }

  /// The upload of a token, if it is this sender's and was begun here.
  private func find(_ token: String, at route: String, from sender: Sender) throws(HTTPError) -> String {
    let id = Self.id(of: token)
    guard !deletions.left.contains(id) else { throw Self.gone }
    // Another process of a deploy may have begun it.
    let stored: UploadRecord?
    do {
      if isShared { try refresh(id) }
      stored = try entries[id]?.record ?? files.record(of: id)
    } catch {
      throw HTTPError(503, "The server cannot read what it knows of this upload.", retryAfter: 60)
    }
    guard let entry = entries[id] ?? stored.map({ Entry(record: $0) }), entry.record.route == route,
      entry.record.owner == sender.owner
    else {
      throw HTTPError(404, "There is no such upload.")
    }
    if entries[id] == nil, entry.record.contents != nil, !entry.record.isDone {
      arrived.add(id, entry.record, at: files.path(of: id))
    }
    entries[id] = entry
    if !entry.isBeingTaken, (files.changed(id) ?? 0) + lifetime <= clock() {
      remove(id)
      throw Self.gone
    }
    return id
  }

  /// Takes over what another server has noted of an upload, or that it is gone.
  private func refresh(_ id: String) throws(UploadFailure) {
    guard entries[id] != nil else { return }
    if let record = try files.record(of: id) {
      entries[id]?.record = record
      if record.isDone { arrived.remove(id) }
    } else {
      hideFromScreen(id)
      entries[id] = nil
      arrived.remove(id)
    }
  }

  private static let gone = HTTPError(410, "This upload is gone; begin again.")

  private func progress(of id: String) throws(HTTPError) -> Progress {
    guard var record = entries[id]?.record else { throw Self.gone }
    let size = files.size(of: id)
    // A file that is not there any more was taken, and the process killed before it could say so.
    if size == nil { record.isDone = true }
    let expires = record.isDone ? nil : (files.changed(id) ?? 0) + lifetime
    return Progress(
      id: id, record: record, offset: record.isDone ? record.length : size ?? 0, expires: expires)
  }

  /// Tells the screen of a control how far a file has come.
  private func tellScreen(of id: String, received: Int) {
    guard let entry = entries[id], let place = entry.record.place else { return }
    let (record, name) = (entry.record, entry.name ?? entry.record.name)
    entries[id]?.told = clock()
    entries[id]?.name = name
    arrivals.note(
      ArrivingFile(id: id, name: name, size: record.length, received: received),
      from: record.control?.visitor, at: place)
  }

  private func hideFromScreen(_ id: String) {
    guard let entry = entries[id], entry.told != nil, let place = entry.record.place else { return }
    entries[id]?.told = nil
    arrivals.end(id, at: place)
  }

  private func remove(_ id: String) {
    hideFromScreen(id)
    entries[id] = nil
    arrived.remove(id)
    // What cannot be seen is not there, or not for now.
    if files.changed(id) != nil { deletions.delete(id) }
  }

  /// Stores something, or tells the client that there is no room.
  private func storing(_ work: () throws -> Void) throws {
    do { try work() } catch let failure as UploadFailure where failure.isFull {
      throw HTTPError(507, "The server's disk is full.", retryAfter: 600)
    }
  }
}
