// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// The parts that the rooms of a loop share, so that none needs its own; it knows none of them.
final class RoomResources {
  let configuration: SessionConfiguration
  /// Who takes how much memory.
  let memory: MemoryLedger
  /// Who takes how much of the store; nil without one.
  let store: StoreBudget?
  /// The bytes of a screen's objects, by its name.
  let screenBytes: ScreenBytes
  /// How much of its past a room keeps.
  let limit: TurnLogLimit
  /// How much a room keeps that nobody shares: its one page may return, and nobody else falls behind.
  let soloLimit: TurnLogLimit
  /// What the loop runs at the moment; nil if nobody wants to know.
  let running: RunningEvent?
  /// Whether each turn is reported.
  let observesTraffic: Bool
  /// Whether commands to shared models outlive the process, so that the work of an input sends each of them once.
  let namesCommands: Bool
  /// Where visitors send files; nil where no screen takes any.
  let files: (any SentFiles)?
  /// What of them is on its way.
  let arrivals: FileArrivals
  private var schemas: [String: SharedSchema] = [:]
  private var countsByScreen: [String: ScreenCounts] = [:]
  /// Turns that no room has open, with the memory that they took.
  private var turns: [TurnBuilder] = []

  init(
    _ configuration: SessionConfiguration, _ running: RunningEvent? = nil, memory: MemoryLedger? = nil,
    store: StoreBudget? = nil, screenBytes: ScreenBytes = ScreenBytes(), observesTraffic: Bool = false,
    namesCommands: Bool = false, files: (any SentFiles)? = nil, arrivals: FileArrivals = FileArrivals()
  ) {
    self.configuration = configuration
    self.memory = memory ?? MemoryLedger(limit: nil)
    self.store = store
    self.screenBytes = screenBytes
    self.running = running
    self.observesTraffic = observesTraffic
    self.namesCommands = namesCommands
    self.files = files
    self.arrivals = arrivals
    limit = TurnLogLimit(turns: configuration.maxLogTurns, bytes: configuration.maxLogBytes)
    soloLimit = TurnLogLimit(turns: limit.turns, bytes: limit.bytes / 4)
  }

  /// Lends a turn to a room.
  func takeTurn() -> TurnBuilder { turns.popLast() ?? TurnBuilder() }

  /// Takes a turn back whose frame was written.
  func put(back turn: consuming TurnBuilder) {
    guard turns.count < 1_024 else { return }
    turn.clear()
    turns.append(turn)
  }

  /// The schema of a screen, the same object for all rooms that agree with it.
  ///
  /// - Throws: `SchemaError` if a rule is about something that is no input.
  func schema(of screen: String, _ instance: ScreenInstance) throws -> SharedSchema {
    if let shared = schemas[screen], instance.has(shared.schema) { return shared }
    let shared = SharedSchema(
      instance.schema, counts(of: screen), try instance.rules(),
      hasPersonalOutputs: instance.hasPersonalOutputs)
    schemas[screen] = shared
    return shared
  }
}

extension RoomResources {
  /// The counts of each screen's rooms, by the screens' names.
  var counts: [ScreenTotals] { countsByScreen.values.map(\.values).sorted { $0.screen < $1.screen } }

  private func counts(of screen: String) -> ScreenCounts {
    if let counts = countsByScreen[screen] { return counts }
    let counts = ScreenCounts(screen)
    countsByScreen[screen] = counts
    return counts
  }
}

/// A schema with values that are worked out of it once.
final class SharedSchema {
  let schema: ScreenSchema
  let fingerprint: String
  /// The counts of the screen's rooms.
  let counts: ScreenCounts
  /// For each output the beginning of the operation that gives it another value.
  let replacements: [[UInt8]]
  /// For each two-way text its output, and its input.
  let textOutputs, textInputs: [Int]
  /// The other two-way controls: names that take a value and show one.
  let controls: [(name: String, output: Int)]
  /// For each two-way text the beginning of its steps.
  let beginnings: [[UInt8]]
  /// For each two-way text the beginning of the operation on it as a plain value.
  let fields: [[UInt8]]
  /// Who may send the inputs that not everybody may send.
  let permissions: [String: Permission]
  /// Which files the inputs take that take some.
  let files: [String: FileLimit]
  /// The inputs whose values no record has.
  let redacted: Set<String>
  /// Whether pages show values for their visitors alone.
  let hasPersonalOutputs: Bool
  /// Whether a page is told something that others are not.
  var tellsEach: Bool { hasPersonalOutputs || !permissions.isEmpty || !files.isEmpty }

  init(
    _ schema: ScreenSchema, _ counts: ScreenCounts, _ rules: InputRules,
    hasPersonalOutputs: Bool
  ) {
    self.schema = schema
    self.counts = counts
    permissions = rules.permissions
    files = rules.files
    redacted = rules.redacted
    self.hasPersonalOutputs = hasPersonalOutputs
    fingerprint = schema.fingerprint
    replacements = schema.outputs.map(TurnPieces.beginningOfReplace)
    textOutputs = schema.twoWayOutputs
    let names = textOutputs.map { schema.outputs[$0] }
    textInputs = names.compactMap { name in schema.inputs.firstIndex { $0.name == name } }
    controls = schema.outputs.indices.compactMap { output in
      let name = schema.outputs[output]
      guard !names.contains(name), schema.inputs.contains(where: { $0.name == name && $0.kind != .void })
      else { return nil }
      return (name, output)
    }
    beginnings = names.map(TurnPieces.beginningOfEdits)
    fields = names.map { TurnPieces.beginningOfReplace($0 + ".field") }
  }
}
