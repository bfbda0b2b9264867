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
  /// In room scope it tells what everybody sends. It changes at most five times a second. A file goes from it when it
  /// is complete, refused or given up, and when nothing of it has arrived for a minute or two; it comes back when its sender
  /// goes on. A screen that another one has opened has no context of its own, and no such list.
  ///
  /// - Parameter input: The control's name.
  /// - Returns: The files; none outside of a screen.
  public func arrivingFiles(for input: String) -> Driver<[ArrivingFile]> {
    // A replay takes what the relay has told from the record.
    let relay = arriving?.arrivingFiles(for: input) ?? SharedRelay(value: [])
    return relay.asObservable().throttle(.milliseconds(200), latest: true, scheduler: clock)
      .asDriver(onErrorJustReturn: [])
  }
}

/// Knows what is being sent to the controls of one screen.
package protocol ArrivingSource {
  /// Tells the files of a control.
  func arrivingFiles(for input: String) -> SharedRelay<[ArrivingFile]>
}
