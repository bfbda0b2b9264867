// SPDX-License-Identifier: Apache-2.0
public import MusubiRx

/// A shared model, as a screen of one visitor uses it.
///
/// Each `BehaviorRelay` of the model is a `Driver` here, on the screen's own loop; `send` asks the model for something:
///
/// ```swift
/// func bind(_ inputs: Inputs) -> Outputs {
///   inputs.add.emit(onNext: { [todo] title in todo.send(.add(title: title)) }).disposed(by: bag)
///   return Outputs(todos: todo.todos)
/// }
/// ```
///
/// Confined to the loop of the screen that asked for it. The model is there as long as somebody uses it.
@dynamicMemberLookup
public final class Shared<Model: SharedModel> {
  private let line: ModelLine
  private let context: ScreenContext?
  private let sender: Visitor
  /// Runs a model that is at home in a test.
  private let settling: (() async -> Void)?

  init(
    _ line: ModelLine, _ context: ScreenContext?, sender: Visitor = .anonymous,
    settling: (() async -> Void)? = nil
  ) {
    self.line = line
    self.context = context
    self.sender = sender
    self.settling = settling
  }

  /// A relay of the model, on the loop of the screen.
  ///
  /// It begins with the newest value. Where the model's home is another loop, the very first value comes some
  /// milliseconds later. A screen without a page gets the newest value alone, at its return.
  ///
  /// - Parameter relay: The relay.
  /// - Returns: Its values.
  public subscript<Content: Codable & Sendable>(
    dynamicMember relay: any KeyPath<Model, BehaviorRelay<Content>> & Sendable
  ) -> Driver<Content> {
    Self.driver(line.mirror(relay) { SharedRelay(value: nil, isPerServer: true) })
  }

  /// A relay of the model, on the loop of the screen; equal values are delivered once.
  ///
  /// - Parameter relay: The relay.
  /// - Returns: Its values.
  public subscript<Content: Codable & Sendable & Equatable>(
    dynamicMember relay: any KeyPath<Model, BehaviorRelay<Content>> & Sendable
  ) -> Driver<Content> {
    Self.driver(line.mirror(relay) { SharedRelay(value: nil, isPerServer: true) })
  }

  private static func driver<Content>(_ mirror: SharedRelay<Content?>) -> Driver<Content> {
    mirror.asObservable().compactMap(\.self).asDriver(onErrorDriveWith: .empty())
  }

  /// Sends the model a command, at once and whether or not somebody subscribes to the answer.
  ///
  /// Sent while an input is handled, it is an effect of that input: the page's input is acknowledged when the answer is
  /// there, and if the server is killed before, the input comes again. A `Restorable` model then carries out the command
  /// once, and answers the same. A command that the input's timers and tasks send later is carried out at most once, and may be
  /// lost with the process.
  ///
  /// - Parameter command: The command.
  /// - Returns: The answer, in a turn of the screen; or the error that the model has thrown, or a `SharedModelError`.
  @discardableResult
  public func send(_ command: Model.Command) -> Single<Model.Reply> {
    let reply = AsyncSubject<Model.Reply>()
    do {
      let value = try ValueEncoder.encodeRecord(command)
      let recorder = ValueRecording.current
      let name = "answer \(recorder?.nextNumber(of: "answer") ?? 0)"
      if let recorder, recorder.isReplaying {
        recorder.expect(RecordedAnswer.self, as: name, once: true) { answer in
          (answer as? RecordedAnswer)?.tell(to: reply)
        }
        return reply.asSingle()
      }
      let effect = (context?.clock as? any EffectOrigin)?.beginEffect()
      let message = ModelCommand(
        key: effect?.key ?? "", sender: context?.visitor ?? sender, value: value,
        isRecorded: effect != nil)
      line.send(message) { result in
        let result = result.received(as: Model.Reply.self, or: Model.Failure.self)
        if let recorder, let answer = RecordedAnswer(result) { recorder.note(answer, as: name) }
        switch result {
        case .success(let content):
          if let content = content as? Model.Reply { reply.onNext(content) }
          reply.onCompleted()
        case .failure(let error): reply.onError(error)
        }
        effect?.finish()
      }
    } catch {
      reply.onError(error)
    }
    return reply.asSingle()
  }
}

// MARK: - Where one comes from

extension ScreenContext {
  /// The shared model of a room, which is made if nobody uses it yet.
  ///
  /// ```swift
  /// let todo = context.shared(TodoModel.self, room: context.query["list"] ?? "home")
  /// ```
  ///
  /// Who may use a model is for the screen to say: its route, `allowsRoom`, or the factory, which looks at
  /// `context.visitor` before it asks for the model. A page does not reach a model by itself.
  ///
  /// - Parameters:
  ///   - type: The model's type, of `Application.sharedModel`; the screen does not start if the application has none.
  ///   - room: Which of these models: 1 to 64 bytes. Whoever asks for one first pays for it, as for a room.
  /// - Returns: The model. If it cannot be made, its commands end with `SharedModelError.unavailable`.
  public func shared<Model: SharedModel>(_ type: Model.Type = Model.self, room: String = "lobby") -> Shared<
    Model
  > {
    guard let models else {
      ScreenBuilder.active?.report(
        "context.shared(\(type).self) is asked for where no application is: give the ViewModel Shared(\(type)(…))."
      )
      return Shared(.none, self)
    }
    guard (1...64).contains(room.utf8.count) else {
      return Shared(
        .failing(.unavailable("a room's name has 1 to 64 bytes; this one has \(room.utf8.count)")), self)
    }
    guard let line = models.line(ObjectIdentifier(type), room: room) else {
      ScreenBuilder.active?.report(
        "the shared model \(type) is asked for, and the application has none; add it by sharedModel(_:make:)."
      )
      return Shared(.none, self)
    }
    return Shared(line, self)
  }
}

extension Shared {
  /// A model of one screen alone, for tests: its relays are read at once, and commands are carried out at once, as far as
  /// the model does not wait for anything.
  ///
  /// ```swift
  /// let model = TodoModel(stored: nil)
  /// let screen = try TestScreen { TodoViewModel(todo: Shared(model)) }
  /// try screen.type("milk", into: "add")
  /// #expect(model.todos.value.map(\.title) == ["milk"])
  /// ```
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - sender: Who sends the commands.
  public convenience init(_ model: Model, sender: Visitor = .anonymous) {
    let host = ModelHost(model)
    self.init(.local(host), nil, sender: sender) { await host.settle() }
  }

  /// Waits until the commands that were sent in a test have ended.
  public func settle() async { await settling?() }
}

extension ModelLine {
  /// A line to no model, while names are collected.
  static var none: ModelLine { failing(.unavailable("it is not there")) }

  /// A line whose commands end with an error.
  static func failing(_ error: SharedModelError) -> ModelLine {
    ModelLine(watch: { _ in }, post: { _, answer in answer(.failure(error)) }, end: {})
  }

  /// A line to a model that is on the same thread.
  fileprivate static func local(_ host: any ModelContent) -> ModelLine {
    let bag = DisposeBag()
    var answers: [String: (ModelResult) -> Void] = [:]
    var last = 0
    weak var target: ModelLine?
    host.onResult = { key, result in answers.removeValue(forKey: key)?(result) }
    let line = ModelLine(
      watch: { relay in host.follow(relay) { target?.take(relay.number, $0) }.disposed(by: bag) },
      post: { command, answer in
        last += 1
        var command = command
        if command.key.isEmpty { command.key = "-/\(last)" }
        answers[command.key] = answer
        host.perform(command)
      }, end: {})
    target = line
    return line
  }
}
