// SPDX-License-Identifier: Apache-2.0
// Foundation is imported for `Date`, RxSwift's time type, alone.
import Foundation
package import MusubiRx
import MusubiWire

/// A shared model at its home: the content of a room that no page shows.
package final class ModelHost<Model: SharedModel>: ModelContent {
  package var onResult: ((_ key: String, _ result: ModelResult) -> Void)?
  private let model: Model
  private let home = ModelHome(LoopContext.current as? any LoopHome)
  private let now: () -> RxTime
  private var waiting: [ModelCommand] = []
  private var waitingBytes = 0
  private var isRunning = false
  private var isTakingWaiting = false
  /// The model's state before the command that is under way.
  private var before: Value?
  /// The outcomes of commands whose inputs may come again.
  private var done: [String: StoredModel.Done]
  /// The keys of the last commands whose inputs do not come again: an older copy of one may still be on its way.
  private var settled: [String] = []
  /// The relays that loops follow, and how many do.
  private var relays: [ObjectIdentifier: (relay: any CodableRelay, followers: Int)] = [:]

  /// So much may wait for a model.
  private static var maxWaiting: Int { 1_024 }
  private static var maxWaitingBytes: Int { 1 << 18 }
  /// So many keys are looked through for each command.
  private static var maxSettled: Int { 128 }

  /// A model.
  ///
  /// - Parameters:
  ///   - model: The author's model.
  ///   - stored: What was stored of it and its commands.
  ///   - now: Tells the time.
  package init(
    _ model: Model, restoring stored: StoredModel? = nil, now: @escaping () -> RxTime = { RxTime() }
  ) {
    self.model = model
    self.now = now
    let oldest = now().timeIntervalSince1970 - StoredModel.secondsOfMemory
    done = (stored?.done ?? [:]).filter { $0.value.time > oldest }
  }

  package func start() throws {
    let reply = Model.Reply.self
    guard model is any Restorable, reply != Void.self, !(reply is any Codable.Type) else { return }
    throw SchemaError(
      screen: "\(Model.self)",
      problem:
        "its Reply is \(reply), which cannot be stored: a Restorable SharedModel answers Void or what is Codable."
    )
  }

  package func load() {}
  package func appear() {}
  package func disappear() {}

  package var isBusy: Bool { isRunning || !waiting.isEmpty }

  /// Runs the model's tasks in a test until all have ended.
  func settle() async { await home.settle() }

  // MARK: - Bytes

  package var heldBytes: Int {
    // Its stored state counts with the room.
    guard !(model is any Restorable) else { return waitingBytes }
    return relays.values.reduce(waitingBytes) { $0 + $1.relay.heapBytes }
  }

  // MARK: - Relays

  package func follow(_ relay: ModelRelay, _ take: @escaping (any Sendable) -> Void) -> any Disposable {
    Disposables.create(relay.follow(model, take), relay.find(model).map(count) ?? Disposables.create())
  }

  package func follow(
    named name: String, _ take: @escaping (any CodableRelay) -> Void
  ) -> (any Disposable)? {
    guard let relay = Self.property(name.split(separator: ".", omittingEmptySubsequences: false), of: model)
    else { return nil }
    return Disposables.create(relay.follow { take(relay) }, count(relay))
  }

  /// Finds a relay among the stored properties of a model, and of what is in them.
  private static func property(_ path: [Substring], of owner: Any) -> (any CodableRelay)? {
    guard let name = path.first else { return owner as? any CodableRelay }
    var mirror = Mirror(reflecting: owner) as Mirror?
    while let level = mirror {
      if let child = level.children.first(where: { $0.label.map { $0 == name } ?? false }) {
        return property(Array(path.dropFirst()), of: child.value)
      }
      mirror = level.superclassMirror
    }
    return nil
  }

  /// Notes that one more follows a relay.
  private func count(_ relay: any CodableRelay) -> any Disposable {
    let key = ObjectIdentifier(relay)
    relays[key, default: (relay, 0)].followers += 1
    return Disposables.create { [weak self] in
      guard let known = self?.relays[key] else { return }
      self?.relays[key] = known.followers > 1 ? (known.relay, known.followers - 1) : nil
    }
  }

  // MARK: - Commands

  package func perform(_ command: ModelCommand) {
    if let known = done[command.key] {
      return tell(command, known.result(as: Model.Reply.self, or: Model.Failure.self))
    }
    guard !settled.contains(command.key) else {
      // A copy that was on its way while its screen's slot was taken; nobody waits for it.
      return tell(command, .failure(SharedModelError.unavailable("it was carried out before")))
    }
    guard waiting.count < Self.maxWaiting, waitingBytes < Self.maxWaitingBytes else {
      return tell(command, .failure(SharedModelError.busy))
    }
    waiting.append(command)
    waitingBytes += command.value.heapBytes
    takeWaiting()
  }

  package func forget(_ key: String) {
    if done.removeValue(forKey: key) != nil {
      settled.append(key)
      if settled.count > Self.maxSettled { settled.removeFirst(Self.maxSettled / 2) }
    }
    // A copy of it, whose input has come again, has nothing left to do.
    for copy in waiting where copy.key == key { waitingBytes -= copy.value.heapBytes }
    waiting.removeAll { $0.key == key }
  }

  /// Begins commands, as long as each has ended when it returns.
  private func takeWaiting() {
    guard !isTakingWaiting else { return }
    isTakingWaiting = true
    defer { isTakingWaiting = false }
    while !isRunning, !waiting.isEmpty {
      let command = waiting.removeFirst()
      waitingBytes -= command.value.heapBytes
      // Its input may have come again while it waited.
      if let known = done[command.key] {
        tell(command, known.result(as: Model.Reply.self, or: Model.Failure.self))
      } else {
        begin(command)
      }
    }
  }

  private func begin(_ command: ModelCommand) {
    isRunning = true
    do {
      before = try (model as? any Restorable)?.storedState()
      let content = try ValueDecoder.decode(
        Model.Command.self, as: Model.Command.self, from: command.value, isRecord: true)
      let work = Carried((host: self, model: model))
      _ = home.start(key: command.key) {
        let result: ModelResult
        do {
          result = .success(try await work.element.model.handle(content, from: command.sender))
        } catch {
          result = .failure(error)
        }
        work.element.host.end(command, result)
      }
    } catch {
      end(command, .failure(error))
    }
  }

  private func end(_ command: ModelCommand, _ result: ModelResult) {
    isRunning = false
    before = nil
    if command.isRecorded, model is any Restorable {
      done[command.key] = StoredModel.Done(result, at: now().timeIntervalSince1970)
    }
    tell(command, result)
    takeWaiting()
  }

  private func tell(_ command: ModelCommand, _ result: ModelResult) { onResult?(command.key, result) }
}

extension ModelHost: Restorable {
  package var restorable: (any Restorable)? { model is any Restorable ? self : nil }

  /// The model's state, without what the command under way has changed, and what came of commands.
  package var state: StoredModel {
    let state: any Encodable = before ?? (model as? any Restorable)?.state ?? Value.null
    return StoredModel(model: state, done: done)
  }
}

/// What is stored of a shared model.
package struct StoredModel: Codable {
  /// The author's state: as it is, or as it was read.
  private let content: any Encodable
  /// The outcomes of commands whose inputs may come again, by their keys.
  let done: [String: Done]

  /// A command's input comes again within so many seconds, or never.
  static let secondsOfMemory = 604_800.0

  private enum CodingKeys: CodingKey { case model, done }

  init(model: any Encodable, done: [String: Done]) {
    content = model
    self.done = done
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    content = try container.decode(Value.self, forKey: .model)
    done = try container.decodeIfPresent([String: Done].self, forKey: .done) ?? [:]
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(content, forKey: .model)
    if !done.isEmpty { try container.encode(done, forKey: .done) }
  }

  /// The author's state, as it was read.
  var model: Value? { content as? Value }

  /// What came of a command.
  struct Done: Codable {
    /// The reply; nil if it is none, or there was an error.
    private var reply: Value?
    /// The error's description.
    private var failure: String?
    /// The error as JSON, if it is `Codable`.
    private var error: String?
    /// When it ended, in seconds since 1970.
    let time: Double

    init(_ result: ModelResult, at time: Double) {
      self.time = time
      do {
        if let content = try result.get() as? any Encodable { reply = try ValueEncoder.encodeRecord(content) }
      } catch {
        let sent = SentError(error)
        failure = sent.description
        self.error = sent.content.map { String(decoding: $0.json, as: UTF8.self) }
      }
    }

    /// The answer to the command when it comes again.
    func result<Reply: Sendable, Failure: Error>(as type: Reply.Type, or _: Failure.Type) -> ModelResult {
      if let failure {
        let content = error.map { SentContent(json: Array($0.utf8)) }
        return .failure(SentError(content, description: failure).decoded(as: Failure.self))
      }
      if type == Void.self { return .success(()) }
      guard let decodable = type as? any Decodable.Type else { return .success(()) }
      return ModelResult {
        try ValueDecoder.decode(decodable, as: Reply.self, from: reply ?? .null, isRecord: true)
      }
    }
  }
}
