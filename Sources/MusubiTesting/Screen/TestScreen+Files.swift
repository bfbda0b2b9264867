// SPDX-License-Identifier: Apache-2.0
import MusubiBinding

extension TestScreen {
  /// Sends a file to a control, as a page does; it arrives complete.
  ///
  /// ```swift
  /// let screen = try TestScreen { PhotosViewModel(folder: folder) }
  /// try screen.upload("tea.png", bytes, to: "photo")
  /// #expect(screen["count"] == "1")
  /// ```
  ///
  /// Its bytes are in memory until the ViewModel takes them, which writes a file.
  ///
  /// - Parameters:
  ///   - name: What the browser calls the file.
  ///   - bytes: Its bytes, at least one; the first tell its type.
  ///   - input: The control's name.
  ///   - row: The id of the row in which it is; nil outside of lists.
  /// - Throws: If the screen has no such control or row, the file is larger or of another type than the control's rule says, or
  ///   a rule keeps the visitor from it.
  public func upload(_ name: String, _ bytes: [UInt8], to input: String, row: String? = nil) throws {
    try upload(name, bytes, to: input, row: Self.way(row))
  }

  /// Sends a file to a control of a row that is in another row.
  ///
  /// - Parameters:
  ///   - name: What the browser calls the file.
  ///   - bytes: Its bytes, at least one; the first tell its type.
  ///   - input: The control's name.
  ///   - row: The ids on the way to the row, outermost first.
  /// - Throws: As of a row.
  public func upload(_ name: String, _ bytes: [UInt8], to input: String, row: [String]) throws {
    guard let limit = try limit(of: input) else { throw BindingError.noFiles(input) }
    guard !bytes.isEmpty, bytes.count <= limit.size.bytes else {
      throw BindingError.fileSize(bytes.count, input, limit: limit.size.bytes)
    }
    let type = FileType.type(of: Array(bytes.prefix(FileType.headBytes)), name: name)
    guard FileType.isOne(type, of: limit.types) else { throw BindingError.fileType(type, input, limit.types) }
    let contents = TestFile(contents: bytes)
    uploads += 1
    try deliver(
      UploadedFile(
        contents, name: name, type: type, size: bytes.count, sha256: contents.sha256,
        id: "upload\(uploads)"), to: input, row)
  }
}
