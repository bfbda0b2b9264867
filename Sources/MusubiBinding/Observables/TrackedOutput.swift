// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import Observation

/// An output that follows what it reads of a model, and is made again when that has changed.
///
/// `onChange` fires once for each tracking, before the change and perhaps on another thread: it only marks. Outputs that
/// are marked are made again when the turn's changes are collected, so that two writes are one.
class TrackedOutput {
  /// The place of the output that it writes; negative if it writes none.
  let slot: Int
  private unowned let screen: ScreenModels
  private var isMarked = true
  private var isTracking = false

  init(slot: Int, of screen: ScreenModels) {
    self.slot = slot
    self.screen = screen
  }

  /// Reads the model and writes the output.
  ///
  /// - Throws: What the author's `encode(to:)` throws; the output keeps its value.
  func update() throws { preconditionFailure("each kind of output updates in its own way") }

  /// Has the output made again at the end of the turn.
  final func mark() {
    guard !isMarked else { return }
    isMarked = true
    screen.noteMarked(self)
  }

  /// Makes the output again if it is marked.
  final func updateIfMarked() {
    guard isMarked else { return }
    do { try make() } catch { screen.reportKept(self, error) }
  }

  /// Makes the output again.
  ///
  /// - Throws: What `update` throws.
  final func make() throws {
    isMarked = false
    try update()
  }

  /// Reads the model, and marks the output when something of that has changed.
  final func track<Result>(_ read: () -> Result) -> Result {
    // Nothing has changed since the last tracking, and one cannot be taken back.
    if isTracking { return read() }
    isTracking = true
    return withObservationTracking(read, onChange: noteChange)
  }

  /// Made once: each change needs it again.
  private lazy var noteChange: @Sendable () -> Void = {
    let me = Carried(WeakOutput(output: self))
    let home = screen.home
    return {
      if home.isHere { return me.element.output?.changed(isElsewhere: false) ?? () }
      home.post { me.element.output?.changed(isElsewhere: true) }
    }
  }()

  private func changed(isElsewhere: Bool) {
    isTracking = false
    if isElsewhere { screen.reportForeignChange() }
    mark()
  }
}

private struct WeakOutput {
  weak var output: TrackedOutput?
}

/// An output of one value.
final class TrackedValue<Content>: TrackedOutput {
  private let read: () -> Content
  private let write: (Content) throws -> Void

  init(
    slot: Int, of screen: ScreenModels, _ read: @escaping () -> Content,
    _ write: @escaping (Content) throws -> Void
  ) {
    self.read = read
    self.write = write
    super.init(slot: slot, of: screen)
  }

  override func update() throws { try write(track(read)) }
}

/// A property that asks something of the page when it is no longer nil, and is nil again then.
final class TrackedRequest<Content>: TrackedOutput {
  private let read: () -> Content?
  private let clear: () -> Void
  private let ask: (Content) -> Void

  init(
    of screen: ScreenModels, _ read: @escaping () -> Content?, clear: @escaping () -> Void,
    ask: @escaping (Content) -> Void
  ) {
    (self.read, self.clear, self.ask) = (read, clear, ask)
    super.init(slot: -1, of: screen)
  }

  override func update() {
    // Not tracked yet, so that clearing it marks nothing.
    if let content = read() {
      clear()
      ask(content)
    }
    _ = track(read)
  }
}
