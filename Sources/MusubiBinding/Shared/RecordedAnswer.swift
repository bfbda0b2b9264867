// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import MusubiWire

/// The answer of a shared model, as the record of a room has it.
struct RecordedAnswer: Codable {
  private let reply: Value?
  private let error: SharedModelError?

  /// An answer; nil if it cannot be written down: an error of the author's own, or a reply of another type.
  init?(_ result: ModelResult) {
    switch result {
    case .success(is Void): (reply, error) = (nil, nil)
    case .success(let content):
      guard let content = content as? any Encodable, let value = try? ValueEncoder.encodeRecord(content)
      else {
        return nil
      }
      (reply, error) = (value, nil)
    case .failure(let problem):
      guard let problem = problem as? SharedModelError else { return nil }
      (reply, error) = (nil, problem)
    }
  }

  /// Answers as then.
  func tell<Reply>(to observer: AsyncSubject<Reply>) {
    if let error { return observer.onError(error) }
    var content: Any = ()
    if let reply, let type = Reply.self as? any Decodable.Type {
      do { content = try type.init(recorded: reply) } catch { return observer.onError(error) }
    }
    if let content = content as? Reply { observer.onNext(content) }
    observer.onCompleted()
  }
}
