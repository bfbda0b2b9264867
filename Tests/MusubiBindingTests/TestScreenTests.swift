// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import Testing

/// Shows nothing but a note.
private final class NoteViewModel: InputOutputViewModel {
  struct Inputs: Decodable { var add: Signal<String> = .never() }
  struct Outputs: Encodable { let note: Driver<Note> }

  /// A value that cannot be sent.
  struct Note: Encodable {
    let isSecret: Bool

    func encode(to encoder: any Encoder) throws {
      if isSecret {
        throw EncodingError.invalidValue(
          self, EncodingError.Context(codingPath: [], debugDescription: "it is secret"))
      }
      var container = encoder.singleValueContainer()
      try container.encode("open")
    }
  }

  private let isSecret: Bool

  init(isSecret: Bool = false) { self.isSecret = isSecret }

  func bind(_ inputs: Inputs) -> Outputs { Outputs(note: .just(Note(isSecret: isSecret))) }
}

private final class CountingView: View {
  private let label = Label("appearances")
  private var appearances = 0

  override func viewDidAppear() {
    appearances += 1
    label.text = "\(appearances)"
  }
}

@Suite struct `A screen of a test` {
  /// The sentence with which a screen is refused; nil if it is not.
  private func refusal(_ make: () throws -> TestScreen) -> String? {
    do {
      _ = try make()
      return nil
    } catch { return "\(error)" }
  }

  @Test func `is refused with a component that no part of it is`() {
    let sentence = refusal {
      try TestScreen(query: [:]) { context in
        _ = context.component("basket")
        return NoteViewModel()
      }
    }
    #expect(sentence?.contains("context.component(\"basket\") is asked for") == true)
  }

  @Test func `is refused with files that no input takes`() {
    let sentence = refusal {
      try TestScreen(query: [:]) { context in
        _ = context.arrivingFiles(for: "photo")
        return NoteViewModel()
      }
    }
    #expect(sentence?.contains("context.arrivingFiles(for: \"photo\") is asked for") == true)
  }

  @Test func `is refused with a first value that cannot be sent`() {
    #expect(refusal { try TestScreen { NoteViewModel(isSecret: true) } }?.contains("it is secret") == true)
    #expect(refusal { try TestScreen { NoteViewModel() } } == nil)
  }

  @Test func `appears for its page, also if it is a View`() throws {
    let screen = try TestScreen { CountingView() }
    #expect(screen["appearances"] == "1")
  }
}
