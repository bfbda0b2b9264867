// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A figure that is compared with a checked-in threshold.
struct Finding {
  /// How far a figure may be from its threshold.
  enum Kind: Equatable {
    /// The same on every machine, whatever else it does: at most the threshold.
    case count
    /// Bytes of memory, which depend a little on the allocator: at most a quarter more.
    case size
    /// A comparison with a baseline of the same run, the larger the better: at least half.
    case ratio
    /// Something that is promised: at most so much, whatever was measured before.
    case promise(atMost: Double)
  }

  let kind: Kind
  let mode: Mode
  let value: Double
}

/// The checked-in figures that no change may make worse.
struct Thresholds: Codable {
  /// Counts, at most so many.
  var counts: [String: Double] = [:]
  /// Bytes of memory, at most a quarter more.
  var sizes: [String: Double] = [:]
  /// Ratios, at least half of this.
  var ratios: [String: Double] = [:]

  /// By how much counts may exceed their threshold: the server's own timers fall into some runs and not into others.
  private static let jitter = 0.03

  /// Reads a file of thresholds.
  ///
  /// - Parameter path: The file.
  /// - Throws: `BenchError` if there is none, or if it is no such JSON.
  init(path: String) throws(BenchError) {
    do {
      self = try JSONDecoder().decode(Thresholds.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    } catch { throw BenchError("\(path) has no thresholds: \(error.localizedDescription)") }
  }

  /// Takes findings as thresholds, beside those of `path` that this run did not look for.
  init(_ findings: [String: Finding], beside path: String) throws(BenchError) {
    if FileManager.default.fileExists(atPath: path) {
      self = try Thresholds(path: path)
    } else {
      self = Thresholds()
    }
    for (name, finding) in findings {
      let value = (finding.value * 100).rounded() / 100
      switch finding.kind {
      case .count: counts[name] = value
      case .size: sizes[name] = value
      case .ratio: ratios[name] = value
      case .promise: break
      }
    }
  }

  private init() {}

  /// Writes the file.
  func write(to path: String) throws(BenchError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      try (encoder.encode(self) + Data("\n".utf8)).write(to: URL(fileURLWithPath: path))
    } catch { throw BenchError("cannot write \(path): \(error.localizedDescription)") }
  }

  /// Compares.
  ///
  /// - Parameter findings: The findings, by name.
  /// - Returns: A sentence for each broken threshold, and for each that could be lower; and the modes to try again.
  func compare(_ findings: [String: Finding]) -> (broken: [String], better: [String], modes: Set<Mode>) {
    var broken: [String] = []
    var better: [String] = []
    var modes: Set<Mode> = []
    for (name, finding) in findings.sorted(by: { $0.key < $1.key }) {
      let value = readable(finding.value, decimals: 2)
      guard let threshold = threshold(of: name, finding.kind) else {
        better.append("\(name): \(value), without a threshold")
        continue
      }
      let was = readable(threshold, decimals: 2)
      switch finding.kind {
      case .count where finding.value > threshold + Self.jitter:
        broken.append("\(name): \(value), more than \(was)")
        modes.insert(finding.mode)
      case .size where finding.value > threshold * 1.25:
        broken.append("\(name): \(value), more than \(was) and a quarter")
        modes.insert(finding.mode)
      case .promise where finding.value > threshold:
        broken.append("\(name): \(value), more than the promised \(was)")
        modes.insert(finding.mode)
      case .ratio where finding.value < threshold / 2:
        broken.append("\(name): \(value), less than half of \(was)")
        modes.insert(finding.mode)
      case .count where finding.value < threshold - max(Self.jitter, threshold / 50):
        better.append("\(name): \(value) instead of \(was)")
      default: break
      }
    }
    return (broken, better, modes)
  }

  private func threshold(of name: String, _ kind: Finding.Kind) -> Double? {
    switch kind {
    case .count: counts[name]
    case .size: sizes[name]
    case .ratio: ratios[name]
    case .promise(let most): most
    }
  }
}
