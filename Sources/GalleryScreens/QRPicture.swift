// SPDX-License-Identifier: Apache-2.0
import CQREncode

/// The QR code of a text (ISO/IEC 18004), which the camera of a phone reads.
struct QRPicture {
  /// The picture as a file: SVG, black on white, whatever the page's colours are.
  let svg: String

  /// So many light modules surround the code, for readers to find it.
  private static let quietZone = 4

  /// A picture that stays readable when 15 % of it are hidden; nil if the text is too long for it.
  init?(of text: String) {
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    // The lowest bit of a module is its colour.
    let modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 == 1 }
    var path = ""
    for row in 0..<width {
      var column = 0
      while column < width {
        let isDark = modules[row * width + column]
        let end = (column..<width).first { modules[row * width + $0] != isDark } ?? width
        if isDark { path += "M\(column) \(row)h\(end - column)v1h-\(end - column)z" }
        column = end
      }
    }
    let side = width + 2 * Self.quietZone
    let corner = "\(-Self.quietZone)"
    svg = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="\(corner) \(corner) \(side) \(side)" shape-rendering="crispEdges">\
      <rect x="\(corner)" y="\(corner)" width="\(side)" height="\(side)" fill="#fff"/><path d="\(path)"/></svg>
      """
  }
}
