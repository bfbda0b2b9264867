// SPDX-License-Identifier: Apache-2.0
import MusubiBinding

/// What is known of an upload besides its bytes.
struct UploadRecord: Codable, Equatable {
  /// The route that it was begun at.
  var route: String
  /// The identity of who began it; nil if that is not known.
  var owner: String?
  /// Whom it counts against: the visitor, the address.
  var peers: [String]?
  /// How many bytes there will be.
  var length: Int
  /// What the browser says of the file, as it came.
  var metadata: String
  /// Whether the program has had the file.
  var isDone = false
  /// The control that gets the file; nil if a route does.
  var control: FileControl?
  /// Where the control's screen is told how far the file has come.
  var place: FileArrivals.Place?
  /// The types that the control takes.
  var types: [String]?
  /// What a complete file for a control is; nil before somebody has looked.
  var contents: Contents?

  /// What a file is by its bytes.
  struct Contents: Codable, Equatable {
    var type: String
    var sha256: String
  }

  /// Whether it counts against a peer.
  func counts(for peer: String) -> Bool { peers?.contains(peer) ?? false }

  /// What the browser calls the file, without folders and control characters.
  var name: String {
    let fields = UploadMetadata(metadata)?.fields ?? [:]
    let name = fields["filename"] ?? fields["name"] ?? ""
    let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
    let cleaned = String(
      String.UnicodeScalarView(
        last.unicodeScalars.filter { ![.control, .format].contains($0.properties.generalCategory) }))
    return ["", ".", ".."].contains(cleaned) ? "file" : FileName.shortened(cleaned)
  }
}

/// Names of files.
enum FileName {
  private static let maxScalars = 200
  private static let maxExtensionScalars = 20

  /// A name of at most 200 scalars that still tells the kind of the file: what is too much goes before its extension.
  static func shortened(_ name: String) -> String {
    let scalars = name.unicodeScalars
    guard scalars.count > maxScalars else { return name }
    var end = scalars.suffix(maxExtensionScalars)
    end = end.lastIndex(of: ".").map { end[$0...] } ?? end.suffix(0)
    return String(String.UnicodeScalarView(scalars.prefix(maxScalars - end.count)) + end)
  }
}

/// Keeps the uploads of a server: a record and bytes for each; nothing of it knows the protocol.
protocol UploadFiles: Sendable {
  /// The names of all uploads, and of what remains of some.
  func all() throws(UploadFailure) -> [String]
  /// The record of an upload; nil if there is none.
  ///
  /// - Throws: `UploadFailure` if there is one that cannot be read.
  func record(of id: String) throws(UploadFailure) -> UploadRecord?
  /// Keeps a record instead of the one before, in one step.
  func keep(_ record: UploadRecord, of id: String) throws(UploadFailure)
  /// Begins the bytes of an upload.
  func begin(_ id: String) throws(UploadFailure)
  /// How many bytes there are; nil if there are none any more, because somebody has taken them.
  func size(of id: String) -> Int?
  /// Seconds since 1970 when its bytes, or else its record, were changed last.
  func changed(_ id: String) -> Double?
  /// Writes bytes behind those that are there.
  func append(_ bytes: [UInt8], to id: String, at offset: Int) throws(UploadFailure)
  /// Reads bytes.
  func bytes(of id: String, at offset: Int, _ most: Int) throws(UploadFailure) -> [UInt8]
  /// Waits until the bytes would survive a loss of power.
  func sync(_ id: String) throws(UploadFailure)
  /// Deletes an upload, or what is left of it.
  func remove(_ id: String) throws(UploadFailure)
  /// Deletes the bytes of an upload, if they are there.
  func removeBytes(_ id: String) throws(UploadFailure)
  /// Notes that somebody still needs the bytes, if they are there.
  func touch(_ id: String)
  /// Where the bytes are.
  func path(of id: String) -> String
}
