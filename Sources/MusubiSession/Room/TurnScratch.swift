// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// What the rooms of a loop share, so that none needs its own.
final class TurnScratch {
  let configuration: SessionConfiguration
  /// How much of its past a room keeps.
  let limit: TurnLogLimit
  /// How much a room keeps that nobody shares: its one page may return, and nobody else falls behind.
  let soloLimit: TurnLogLimit
  /// The member and the number of the input that is being handled; zeros for other events, and between them.
  @exclusivity(unchecked) var origin = (member: 0, input: 0)
  /// Where answers wait.
  let outboxes = Outbox.Pool()
  // `unsafe`: the hub takes itself out before it goes. A weak reference would make each other one to it slower.
  /// Whose rooms they are.
  unowned(unsafe) var hub: Hub?
  /// Is told about turns, if somebody listens.
  @exclusivity(unchecked) var observe: ((HubNotice) -> Void)?
  private var schemas: [String: SharedSchema] = [:]
  /// Turns that no room has open, with the memory that they took.
  @exclusivity(unchecked) private var turns: [TurnBuilder] = []

  init(_ configuration: SessionConfiguration) {
    self.configuration = configuration
    limit = TurnLogLimit(turns: configuration.maxLogTurns, bytes: configuration.maxLogBytes)
    soloLimit = TurnLogLimit(turns: limit.turns, bytes: limit.bytes / 4)
  }

  /// The rooms with a turn that is not finished, some of them twice.
  @exclusivity(unchecked) var openRooms: [Room] = []

  /// Lends a turn to a room.
  func takeTurn() -> TurnBuilder { turns.popLast() ?? TurnBuilder() }

  /// Takes a turn back whose frame was written.
  func put(back turn: consuming TurnBuilder) {
    guard turns.count < 1_024 else { return }
    turn.clear()
    turns.append(turn)
  }

  /// The schema of a screen, the same object for all rooms that agree with it.
  func schema(of screen: String, _ instance: ScreenInstance) -> SharedSchema {
    if let shared = schemas[screen], instance.has(shared.schema) { return shared }
    let shared = SharedSchema(instance.schema)
    schemas[screen] = shared
    return shared
  }
}

/// A schema with what is worked out of it once.
final class SharedSchema {
  let schema: ScreenSchema
  let fingerprint: String
  /// For each output the beginning of the operation that gives it another value.
  let replacements: BytePieces
  /// For each two-way text its output, and its input.
  let textOutputs, textInputs: [Int]
  /// For each two-way text the beginning of its steps.
  let beginnings: BytePieces
  /// For each two-way text the beginning of the operation on it as a plain value.
  let fields: BytePieces

  init(_ schema: ScreenSchema) {
    self.schema = schema
    fingerprint = schema.fingerprint
    replacements = BytePieces(schema.outputs.map(FrameWriter.beginningOfReplace))
    textOutputs = schema.twoWayOutputs
    let names = textOutputs.map { schema.outputs[$0] }
    textInputs = names.compactMap { name in schema.inputs.firstIndex { $0.name == name } }
    beginnings = BytePieces(names.map(FrameWriter.beginningOfEdits))
    fields = BytePieces(names.map { FrameWriter.beginningOfReplace($0 + ".field") })
  }
}
