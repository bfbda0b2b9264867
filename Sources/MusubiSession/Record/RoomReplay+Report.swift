// SPDX-License-Identifier: Apache-2.0

extension RoomReplay.Report: CustomStringConvertible {
  /// What a replay has found, in words.
  package var description: String {
    var lines: [String] = []
    switch end {
    case .same:
      lines.append("All \(turns) turns are the same, after \(events) events.")
      if isFull { lines.append("The record ends there because it was as long as it may be.") }
    case .differs(let difference): lines = Self.lines(of: difference)
    case .cameFromOutside(let turn, let at, let outputs):
      lines.append(
        "The replay stops at turn \(turn), \(Self.seconds(at)) after the room was made: what changes "
          + "\(outputs.joined(separator: ", ")) there came from outside, and no record has it. "
          + "The \(turn - 1) turns before it are the same.")
    }
    for name in leftOut {
      lines.append("The record leaves out the input \"\(name)\", because a rule says .redact.")
    }
    for name in missing {
      lines.append("The screen asks for the value \"\(name)\" where the record has none: today's was taken.")
    }
    if silent > 0, end != .same {
      lines.append("Before that, something came from outside, and showed nothing: \(silent) times.")
    }
    return lines.joined(separator: "\n")
  }

  private static func lines(of difference: RoomReplay.Difference) -> [String] {
    var lines = [
      difference.turn == 0
        ? "What the screen shows before its first event differs:"
        : "Turn \(difference.turn) is the first that differs, \(seconds(difference.at)) after the room was made:"
    ]
    lines += difference.events.map { "  event     \(cut($0))" }
    for output in difference.outputs {
      lines.append("  output    \(output.name)")
      lines.append("  recorded  \(output.recorded.map(cut) ?? "no change")")
      lines.append("  today     \(output.today.map(cut) ?? "no change")")
    }
    return lines
  }

  private static func seconds(_ time: Duration) -> String {
    let milliseconds = Int(time / .milliseconds(1))
    let rest = String(milliseconds % 1_000 + 1_000).dropFirst()
    return "\(milliseconds / 1_000).\(rest) s"
  }

  private static func cut(_ text: String) -> String { text.count > 400 ? text.prefix(400) + "…" : text }
}
