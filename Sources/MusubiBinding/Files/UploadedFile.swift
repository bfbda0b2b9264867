// SPDX-License-Identifier: Apache-2.0
import MusubiRx

/// A file that somebody has sent, complete and checked; it is deleted unless it is taken.
///
/// ```swift
/// struct Inputs: Decodable { var photo: Signal<UploadedFile> = .never() }
/// ```
///
/// As an input of a ViewModel it is there for as long as somebody holds the value, and a minute more. A route's handler has it
/// until it returns.
public struct UploadedFile: Sendable {
  /// Names the upload, in letters and digits; the same if it is handed over again.
  public let id: String
  /// What the browser calls the file, without folders and control characters; not to be used as a path.
  public let name: String
  /// The media type by the file's first bytes, such as `image/png`; `application/octet-stream` if they say nothing.
  public let type: String
  /// The number of bytes.
  public let size: Int
  /// The SHA-256 of the bytes in 64 hexadecimal digits.
  public let sha256: String
  private let contents: any UploadedBytes

  /// A file whose bytes are somewhere.
  package init(
    _ contents: any UploadedBytes, name: String, type: String, size: Int, sha256: String, id: String
  ) {
    self.contents = contents
    self.name = name
    self.type = type
    self.size = size
    self.sha256 = sha256
    self.id = id
  }

  /// The bytes, all at once: for small files.
  ///
  /// - Returns: The bytes.
  /// - Throws: An error if the file cannot be read, or is not there any more.
  public func bytes() throws -> [UInt8] { try contents.bytes() }

  /// Moves the file to where it stays; a file that is there already is replaced.
  ///
  /// The move is one step: whoever looks finds no file or all of it. Only the server's user may read it (mode 0600). If the
  /// server was killed after the move and the file is handed over again, the same move does nothing.
  ///
  /// Within one file system it takes no time. Into another one the bytes are copied: do that in an effect, not on the loop.
  ///
  /// - Parameter destination: The path, which must not be made of `name` unchecked: `id` and `sha256` are safe.
  /// - Throws: `UploadFailure` if the file cannot be moved there, or was taken to another place before.
  public func take(to destination: String) throws { try contents.take(to: destination, sha256) }
}

/// Where the bytes of a file are.
package protocol UploadedBytes: Sendable {
  /// All bytes.
  func bytes() throws -> [UInt8]
  /// Moves them, or finds that they were moved there before.
  func take(to destination: String, _ sha256: String) throws
}

// MARK: - As an input

extension UploadedFile: Decodable {
  // Carried: only what decodes the present input, on the same thread, finds something in it.
  @TaskLocal private static var arriving: Carried<Arriving>?

  private final class Arriving {
    var file: UploadedFile?
  }

  /// Runs what decodes an input that brings a file.
  package static func withArriving(
    _ file: UploadedFile, _ body: () throws(BindingError) -> Void
  ) throws(BindingError) {
    let place = Arriving()
    place.file = file
    // Tasks that the input begins inherit the place, and find nothing in it.
    defer { place.file = nil }
    var refusal: BindingError?
    Self.$arriving.withValue(Carried(place)) {
      do throws(BindingError) { try body() } catch { refusal = error }
    }
    if let refusal { throw refusal }
  }

  /// The file that an input brings; nothing else can be decoded.
  ///
  /// - Parameter decoder: Decodes an input.
  /// - Throws: `DecodingError` where no file arrives.
  public init(from decoder: any Decoder) throws {
    let id = try decoder.singleValueContainer().decode(String.self)
    guard let file = Self.arriving?.element.file, file.id == id else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "No file has arrived."))
    }
    self = file
  }
}
