// SPDX-License-Identifier: Apache-2.0
import CTraps
import Glibc
package import MusubiSession
import Synchronization

/// What this process runs, in a file that the next one reads: `running` in the data folder.
///
/// ```
/// byte 0     mark · name of the process · when it listened · ends in a row · is it under way · signal · records
/// byte 64    loop 0: room · session · number · kind · signal · record        (musubi_trap_record)
/// byte 128   loop 1 …                                               64 loops at most
/// ```
///
/// The file is mapped and shared: a write costs no system call, and the kernel keeps it at any end of the
/// process. A loss of power may lose it, which loses one strike.
///
/// The head is used by the one task that starts and stops the server, each loop's record by the thread of that loop, and the
/// byte of the signal by the handler.
package final class RunRecord: Sendable {
  /// The events that have ended the process before, if any did.
  package let traps: [Trap]
  /// Names the process before.
  package let run: UInt64
  /// Whether the process before has ended without being asked to.
  package let hasFailed: Bool
  /// The signal by which the process before has ended itself; 0 if that is not known, as after `kill -9`.
  package let signal: Int32
  /// How long to wait before this process listens.
  package let pause: RestartPause

  private let head: Mutex<UnsafeMutableRawPointer>

  private static let maxLoops = 64
  private static let recordBytes = MemoryLayout<musubi_trap_record>.size
  private static let bytes = (1 + maxLoops) * recordBytes
  private static let mark: UInt64 = 0x3130_6e75_7275_736d

  /// The places in the head.
  private enum Place {
    static let mark = 0, run = 8, listened = 16, ends = 24, isUnderWay = 28, signal = 29, records = 32
  }

  /// Opens the file `running` in a folder that is there, and reads what the process before has left.
  ///
  /// - Parameters:
  ///   - folder: The data folder; no other process uses it.
  ///   - time: The time, in seconds since 1970.
  /// - Throws: `StorageError` with one sentence for the operator.
  package init(folder: String, at time: Double) throws(StorageError) {
    let path = folder + "/running"
    guard let memory = Self.map(path) else {
      throw StorageError("\(path) cannot be used: \(String(cString: strerror(errno))).")
    }
    if memory.load(fromByteOffset: Place.mark, as: UInt64.self) != Self.mark {
      // A file of before all others: no run, no end, no trap.
      memset(memory, 0, Self.bytes)
      memory.storeBytes(of: Self.mark, toByteOffset: Place.mark, as: UInt64.self)
    }
    run = memory.load(fromByteOffset: Place.run, as: UInt64.self)
    hasFailed = memory.load(fromByteOffset: Place.isUnderWay, as: UInt8.self) != 0
    signal = Int32(memory.load(fromByteOffset: Place.signal, as: UInt8.self))
    traps = Self.traps(in: memory)
    let pause = RestartPause(ends: Int(memory.load(fromByteOffset: Place.ends, as: Int32.self)))
    let listened = memory.load(fromByteOffset: Place.listened, as: Double.self)
    self.pause =
      hasFailed ? pause.afterEnd(served: listened > 0 ? max(0, time - listened) : nil) : pause
    head = Mutex(memory)
  }

  deinit { _ = head.withLock { munmap($0, Self.bytes) } }

  private static func map(_ path: String) -> UnsafeMutableRawPointer? {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { return nil }
    defer { close(file) }
    // An older program's file may be open to others.
    guard fchmod(file, 0o600) == 0 else { return nil }
    // Without a place on the disk the first write would end the process.
    let refusal = posix_fallocate(file, 0, off_t(bytes))
    guard refusal == 0 else {
      errno = refusal
      return nil
    }
    let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    return memory == UnsafeMutableRawPointer(bitPattern: -1) ? nil : memory
  }

  /// The events that have ended a process after which no other has used its folder.
  ///
  /// - Parameter folder: The data folder.
  /// - Returns: The events; none if there is no file, or none that this program knows.
  package static func traps(inFolder folder: String) -> [Trap] {
    let file = open(folder + "/running", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: recordBytes)
    defer { memory.deallocate() }
    guard read(file, memory, bytes) == bytes,
      memory.load(fromByteOffset: Place.mark, as: UInt64.self) == mark
    else { return [] }
    return traps(in: memory)
  }

  private static func traps(in memory: UnsafeMutableRawPointer) -> [Trap] {
    let name = UnsafeRawBufferPointer(start: memory + Place.records, count: recordBytes - Place.records)
    let records = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    return (0..<maxLoops).compactMap { trap(in: memory + ($0 + 1) * recordBytes, records) }
  }

  private static func trap(in memory: UnsafeMutableRawPointer, _ records: String) -> Trap? {
    let record = memory.load(as: musubi_trap_record.self)
    guard record.signal != 0, let kind = EventKind(rawValue: record.kind) else { return nil }
    let session = withUnsafeBytes(of: record.session) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    return Trap(
      kind: kind, room: record.room, session: session, number: Int(record.number),
      signal: Int32(record.signal),
      record: record.record > 0 && !records.isEmpty ? "\(records)-\(record.record)" : nil)
  }

  // MARK: - The life of this process

  /// Whether an end from now on is one that nobody asked for.
  var isUnderWay: Bool {
    get { head.withLock { $0.load(fromByteOffset: Place.isUnderWay, as: UInt8.self) != 0 } }
    set { store(UInt8(newValue ? 1 : 0), at: Place.isUnderWay) }
  }

  /// Changes a word of the head.
  private func store(_ word: some BitwiseCopyable & Sendable, at place: Int) {
    head.withLock { $0.storeBytes(of: word, toByteOffset: place, as: type(of: word)) }
  }

  /// The record of the process before is stored elsewhere: forgets it, and notes how long this one waits.
  ///
  /// - Parameter run: Names this process.
  package func begin(_ run: UInt64) {
    head.withLock { _ = memset($0 + Self.recordBytes, 0, Self.maxLoops * Self.recordBytes) }
    store(run, at: Place.run)
    store(0.0, at: Place.listened)
    store(Int32(pause.ends), at: Place.ends)
    store(UInt8(0), at: Place.signal)
    note(records: "")
    // A kill while it waits is no end of its own doing.
    isUnderWay = false
  }

  /// The process has waited: from now on its end counts, and what ends it is noted.
  ///
  /// - Throws: `StorageError` if the system does not let signals be caught.
  package func start() throws(StorageError) {
    isUnderWay = true
    let refusal = head.withLock {
      musubi_traps_catch(($0 + Place.signal).assumingMemoryBound(to: UInt8.self))
    }
    guard refusal == 0 else {
      throw StorageError("Signals cannot be caught: \(String(cString: strerror(refusal))).")
    }
  }

  /// What happens in rooms is written down.
  ///
  /// - Parameter name: What the names of this process's files have in common, up to 31 bytes.
  package func note(records name: String) {
    let size = Self.recordBytes - Place.records
    let bytes = Array(name.utf8.prefix(size - 1)) + [0]
    head.withLock { memory in
      UnsafeMutableRawBufferPointer(start: memory + Place.records, count: size).copyBytes(from: bytes)
    }
  }

  /// The server listens.
  ///
  /// - Parameter time: The time, in seconds since 1970.
  package func listens(at time: Double) { store(time, at: Place.listened) }

  /// The process ends because it was asked to.
  package func end() {
    store(Int32(0), at: Place.ends)
    isUnderWay = false
  }

  /// The process ends with a sentence for its operator, and has not listened: that is no end of its own doing.
  package func giveUp() { isUnderWay = false }

  /// The record of a loop; called on its thread.
  ///
  /// - Parameter index: Which loop it is, from 0 to 63.
  /// - Returns: Its place for notes; nil if the system gives no stack for the handler.
  package func record(ofLoop index: Int) -> (any EventRecord)? {
    guard (0..<Self.maxLoops).contains(index) else { return nil }
    // An address leaves the lock, because each loop's bytes are its own.
    let address = head.withLock { UInt(bitPattern: $0 + (index + 1) * Self.recordBytes) }
    guard let place = UnsafeMutablePointer<musubi_trap_record>(bitPattern: address),
      musubi_traps_watch_thread(place) == 0
    else { return nil }
    return LoopRecord(place, of: self)
  }
}

/// The 64 bytes of one loop.
private final class LoopRecord: EventRecord {
  private let place: UnsafeMutablePointer<musubi_trap_record>
  /// Holds the memory.
  private let owner: RunRecord

  init(_ place: UnsafeMutablePointer<musubi_trap_record>, of owner: RunRecord) {
    self.place = place
    self.owner = owner
  }

  func begin(_ kind: EventKind, room: UInt64, session: String, number: Int, record: UInt32) {
    place.pointee.room = room
    place.pointee.record = record
    place.pointee.number = Int64(number)
    var name = session
    name.withUTF8 { name in
      withUnsafeMutableBytes(of: &place.pointee.session) { session in
        let count = min(name.count, session.count)
        for index in 0..<count { session[index] = name[index] }
        if count < session.count { session[count] = 0 }
      }
    }
    place.pointee.kind = kind.rawValue
  }

  func end() { place.pointee.kind = 0 }
}
