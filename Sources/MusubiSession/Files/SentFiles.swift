// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
import MusubiRx

/// Where visitors send files, and where rooms find those that have arrived; asked on the loops, and never waits.
package protocol SentFiles: Sendable {
  /// The address at which a visitor may send files to a control, and nobody else.
  ///
  /// - Parameters:
  ///   - control: The control.
  ///   - place: Where its room is told what is on its way.
  ///   - limit: Which files it takes.
  /// - Returns: A path of this server.
  /// - Throws: If there cannot be one, because the visitor's id is too long.
  func address(for control: FileControl, at place: FileArrivals.Place, _ limit: FileLimit) throws -> String

  /// A file that was sent to a control, for an input that names it.
  ///
  /// - Parameters:
  ///   - upload: The upload's token.
  ///   - control: The control that gets it.
  ///   - input: Names the input; nobody but the same input gets the file again.
  /// - Returns: The file.
  /// - Throws: `BindingError` `unknown-upload` if there is none for this control, or another input has had it.
  func file(_ upload: String, for control: FileControl, by input: String) throws(BindingError) -> UploadedFile
}

/// What is on its way to the controls of one room.
struct RoomArrivals: ArrivingSource {
  let arrivals: FileArrivals
  let room: FileArrivals.Room

  func arrivingFiles(for input: String) -> SharedRelay<[ArrivingFile]> {
    arrivals.follow(FileArrivals.Place(room, input: input))
  }
}

extension RoomKey {
  /// The room's name for uploads.
  var arrivals: FileArrivals.Room { FileArrivals.Room(screen: screen, name: name) }
}
