// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
public import MusubiBinding
import MusubiSession

/// Runs a record of `serve --record` against a screen, in the record's own time; `replay FILE --to-test` writes such a test.
///
/// ```swift
/// let replay = try Replay("desk.record") { context in DeskView(context) }
/// #expect(replay.problem == nil)
/// ```
public struct Replay {
  /// What differs from the record, or came from outside so that the record cannot be run to its end; nil if all is the same.
  public let problem: String?

  /// Runs a record against a View.
  ///
  /// - Parameters:
  ///   - record: The record's file, beside the test.
  ///   - test: The test's own file.
  ///   - make: Makes the View as the application does.
  /// - Throws: If the record cannot be read, or the View cannot be made.
  public init(_ record: String, beside test: String = #filePath, _ make: (ScreenContext) throws -> View)
    throws
  {
    try self.init(record, test) { context, _ in try make(context) }
  }

  /// Runs a record against a ViewModel with inputs and outputs.
  ///
  /// - Parameters:
  ///   - record: The record's file, beside the test.
  ///   - test: The test's own file.
  ///   - make: Makes the ViewModel as the application does.
  /// - Throws: If the record cannot be read, or the ViewModel cannot be made.
  public init<ViewModel: InputOutputViewModel>(
    _ record: String, beside test: String = #filePath, _ make: (ScreenContext) throws -> ViewModel
  ) throws {
    try self.init(record, test) { context, name in InputOutputScreen(try make(context), name: name) }
  }

  /// Runs a record against an `@Observable` model.
  ///
  /// - Parameters:
  ///   - record: The record's file, beside the test.
  ///   - test: The test's own file.
  ///   - make: Makes the model as the application does.
  /// - Throws: If the record cannot be read, or the model cannot be made.
  public init<Model: ObservableViewModel>(
    _ record: String, beside test: String = #filePath, _ make: (ScreenContext) throws -> Model
  ) throws {
    try self.init(record, test) { context, name in ObservableScreen(try make(context), name: name) }
  }

  private init(
    _ record: String, _ test: String, _ make: (ScreenContext, String) throws -> any ScreenContent
  ) throws {
    let file = URL(fileURLWithPath: test).deletingLastPathComponent().appending(path: record)
    let thread = pthread_self()
    let replay = try RoomReplay(record: String(contentsOf: file, encoding: .utf8)) {
      pthread_equal(pthread_self(), thread) != 0
    }
    let report = try replay.run(SessionConfiguration(), models: ModelProbe()) { try make($0, replay.screen) }
    problem = report.end == .same ? nil : report.description
  }
}
