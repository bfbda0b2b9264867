// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
package import MusubiRx

/// What the people of a studio share: their pictures, what they say, and who is about to say something.
package final class StudioModel: SharedModel, Restorable {
  package struct Line: Codable, Equatable, Identifiable, Sendable {
    package let id: Int
    package let author: String
    package let text: String
  }

  package struct Picture: Codable, Equatable, Identifiable, Sendable {
    package let id: String
    package let name: String
    package let address: String

    package init(id: String, name: String, address: String) {
      (self.id, self.name, self.address) = (id, name, address)
    }
  }

  /// What a screen may ask for.
  package enum Command: Codable, Sendable {
    case say(String)
    /// Somebody writes, and has not said it yet.
    case write
    case hang(Picture)
  }

  /// What is stored.
  package struct State: Codable {
    var lines: [Line]
    var pictures: [Picture]
  }

  /// The newest lines.
  package let lines: BehaviorRelay<[Line]>
  /// The newest pictures, the newest first.
  package let pictures: BehaviorRelay<[Picture]>
  /// The names of those who have written something in the last seconds.
  package let writers = BehaviorRelay<[String]>(value: [])
  package var state: State { State(lines: chat.lines, pictures: pictures.value) }

  private var chat: AppendOnlyList<Line>
  private let clock: any SchedulerType
  private let remove: (Picture) -> Void
  private static let maxPictures = 12
  private static let maxWriters = 5
  private static let maxLineBytes = 2_000
  /// The ends of those who write, by their names.
  private var writing: [String: SerialDisposable] = [:]

  /// The studio, or one that was stored.
  ///
  /// - Parameters:
  ///   - clock: Tells when somebody has stopped writing.
  ///   - state: What was stored.
  ///   - remove: Deletes the file of a picture that has to go.
  package init(clock: any SchedulerType, state: State? = nil, remove: @escaping (Picture) -> Void) {
    self.clock = clock
    self.remove = remove
    chat = AppendOnlyList(state?.lines ?? [])
    lines = BehaviorRelay(value: chat.lines)
    pictures = BehaviorRelay(value: state?.pictures ?? [])
  }

  package func handle(_ command: Command, from sender: Visitor) {
    let author = sender.displayName ?? "Guest"
    switch command {
    case .say(let text):
      chat.append { id in Line(id: id, author: author, text: Self.line(text)) }
      lines.accept(chat.lines)
      stop(author)
    case .write:
      guard writing[author] != nil || writing.count < Self.maxWriters else { return }
      let end = writing[author] ?? SerialDisposable()
      writing[author] = end
      end.disposable = clock.scheduleRelative((), dueTime: .seconds(4)) { [weak self] in
        self?.stop(author)
        return Disposables.create()
      }
      if !writers.value.contains(author) { writers.accept(writers.value + [author]) }
    case .hang(let picture):
      let all = [picture] + pictures.value.filter { $0.id != picture.id }
      all.dropFirst(Self.maxPictures).forEach(remove)
      pictures.accept(Array(all.prefix(Self.maxPictures)))
    }
  }

  private func stop(_ author: String) {
    writing.removeValue(forKey: author)?.dispose()
    writers.accept(writers.value.filter { $0 != author })
  }

  /// As much of a text as a line has: one character may have any number of bytes.
  private static func line(_ text: String) -> String {
    var line = ""
    for character in text.prefix(500) {
      guard line.utf8.count + character.utf8.count <= maxLineBytes else { break }
      line.append(character)
    }
    return line
  }
}
