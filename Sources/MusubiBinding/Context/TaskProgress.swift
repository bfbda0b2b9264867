// SPDX-License-Identifier: Apache-2.0

/// How far work is: the value of an output that a page shows by `<progress>`, a text and a button that cancels.
///
/// ```html
/// <progress data-bind-attr-value="work.fraction"></progress>
/// <p data-bind-text="work.message"></p>
/// <button data-on-click="cancel" data-bind-disabled="work.isStopped">Cancel</button>
/// ```
///
/// On the wire it also has `isRunning` and `isStopped`, for attributes that take a truth value.
public struct TaskProgress: Codable, Equatable, Sendable {
  /// What becomes of work.
  public enum State: String, Codable, Sendable {
    /// It has not begun.
    case idle
    /// It is under way.
    case running
    /// It has ended well.
    case done
    /// Somebody has cancelled it.
    case cancelled
    /// It has ended with an error, which is the message.
    case failed
  }

  /// What has become of the work.
  public private(set) var state: State
  /// How far it is, from 0 to 1 in steps of a thousandth; nil while nobody knows.
  public private(set) var fraction: Double?
  /// What the work says of itself, or why it has failed; empty if there is nothing to say.
  public private(set) var message: String

  /// Whether the work is under way.
  public var isRunning: Bool { state == .running }

  /// The progress of work.
  ///
  /// - Parameters:
  ///   - state: What has become of it.
  ///   - fraction: How far it is, from 0 to 1; nil if nobody knows.
  ///   - message: What it says of itself.
  public init(_ state: State = .idle, fraction: Double? = 0, message: String = "") {
    self.state = state
    self.message = message
    // JSON has no other numbers, and nobody sees smaller steps.
    self.fraction = fraction.flatMap { $0.isNaN ? nil : (min(max($0, 0), 1) * 1_000).rounded() / 1_000 }
  }

  private enum CodingKeys: CodingKey {
    case state, fraction, message, isRunning, isStopped
  }

  /// Reads stored progress.
  ///
  /// - Parameter decoder: Where it is.
  /// - Throws: `DecodingError` if it is something else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(State.self, forKey: .state),
      fraction: try container.decodeIfPresent(Double.self, forKey: .fraction),
      message: try container.decode(String.self, forKey: .message))
  }

  /// Writes it as pages show it.
  ///
  /// - Parameter encoder: Where it goes.
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(state, forKey: .state)
    try container.encode(fraction, forKey: .fraction)
    try container.encode(message, forKey: .message)
    try container.encode(isRunning, forKey: .isRunning)
    try container.encode(!isRunning, forKey: .isStopped)
  }
}
