// SPDX-License-Identifier: Apache-2.0
public import MusubiRx

/// A file that somebody is sending to a control, and that has not arrived yet.
///
/// As a row of a list it is what a page shows of it: `name`, `size`, `received` and `fraction`.
public struct ArrivingFile: Codable, Equatable, Identifiable, Sendable {
  /// Names the upload; `UploadedFile` has the same.
  public let id: String
  /// What the browser calls the file, without folders and control characters.
  public let name: String
  /// How many bytes it will have.
  public let size: Int
  /// How many of them have arrived.
  public let received: Int
  /// How much of it has arrived, from 0 to 1, as `<progress>` has it.
  public let fraction: Double

  /// A file on its way; tests make their own.
  ///
  /// - Parameters:
  ///   - id: Names the upload.
  ///   - name: What the browser calls the file.
  ///   - size: How many bytes it will have, at least one.
  ///   - received: How many of them have arrived.
  public init(id: String, name: String, size: Int, received: Int) {
    (self.id, self.name, self.size, self.received) = (id, name, size, received)
    fraction = Double(received) / Double(max(size, 1))
  }
}

extension ScreenContext {
  /// The files that are being sent to a control of the screen, in the order in which they were begun.
  ///
  /// ```swift
  /// application.screen("pictures", scope: .room, page: "pictures.html") { context in
  ///   PicturesViewModel(arriving: context.arrivingFiles(for: "picture"))
  /// }
  /// ```
  ///
  /// In room scope it tells what everybody sends, in session scope what this page sends. It changes at most five times a second,
  /// and has at most 32 files, 8 of one visitor. A file comes with its first bytes. It goes when it is complete, refused or given up, when its sender's
  /// session has ended or may send it no longer, and when nothing of it has arrived for a minute or two; then it comes back with its next
  /// bytes. A screen that another one has opened has no context of its own, and no such list.
  ///
  /// - Parameter input: The control's name; in a component the one that the component knows. The screen does not start if it is
  ///   none that takes files.
  /// - Returns: The files; none outside of a screen.
  public func arrivingFiles(for input: String) -> Driver<[ArrivingFile]> {
    let name = component.reduce("", StreamDeclaration.joined)
    let control = StreamDeclaration.joined(name, input)
    ScreenBuilder.active?.askedFiles.append(control)
    // A replay takes what the relay has told from the record.
    let relay = arriving?.arrivingFiles(for: control) ?? SharedRelay(value: [], isPerServer: true)
    return relay.asObservable().throttle(.milliseconds(200), latest: true, scheduler: clock)
      .asDriver(onErrorJustReturn: [])
  }
}

/// Knows what is being sent to the controls of one screen.
package protocol ArrivingSource {
  /// Tells the files of a control.
  func arrivingFiles(for input: String) -> SharedRelay<[ArrivingFile]>
}
