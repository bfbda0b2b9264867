// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
package import MusubiRx

/// What the people of a studio share: their pictures, what they say, and who is about to say something.
package final class StudioModel: SharedModel, Restorable {
  package struct Line: Codable, Equatable, Identifiable, Sendable {
    package let id: Int
    /// Empty for a guest, whom the page names in its own language.
    package let author: String
    package let text: String
  }

  package struct Picture: Codable, Equatable, Identifiable, Sendable {
    package let id: String
    package let name: String
    package let address: String
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
  /// The names of those who have written something in the last seconds; guests have an empty one.
  package let writers = BehaviorRelay<[String]>(value: [])
  package var state: State { State(lines: lines.value, pictures: pictures.value) }

  private let clock: any SchedulerType
  private let remove: (Picture) -> Void
  private static let maxPictures = 12
  private static let maxWriters = 5
  /// Unicode scalars have four bytes at most, while one character may have any number.
  private static let maxLineScalars = 500
  /// The timers of those who write, by their names.
  private var writing: [String: any Disposable] = [:]

  /// The studio, or one that was stored.
  ///
  /// - Parameters:
  ///   - clock: Tells when somebody has stopped writing.
  ///   - state: What was stored.
  ///   - remove: Deletes the file of a picture that has to go.
  package init(clock: any SchedulerType, state: State? = nil, remove: @escaping (Picture) -> Void) {
    self.clock = clock
    self.remove = remove
    lines = BehaviorRelay(value: state?.lines ?? [])
    pictures = BehaviorRelay(value: state?.pictures ?? [])
  }

  package func handle(_ command: Command, from sender: Visitor) {
    let author = sender.displayName ?? ""
    switch command {
    case .say(let text):
      var chat = AppendOnlyList(lines.value)
      let said = String(text.unicodeScalars.prefix(Self.maxLineScalars))
      chat.append { id in Line(id: id, author: author, text: said) }
      lines.accept(chat.lines)
      stop(author)
    case .write:
      guard writing[author] != nil || writing.count < Self.maxWriters else { return }
      writing[author]?.dispose()
      writing[author] = Observable<Int>.timer(.seconds(4), scheduler: clock)
        .subscribe(onNext: { [weak self] _ in self?.stop(author) })
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
}
