// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiServer

// MARK: - Kinds of responses

extension Response {
  /// A page that the program writes.
  ///
  /// Text of visitors belongs in it only with `<`, `>`, `&` and quotation marks escaped.
  ///
  /// - Parameters:
  ///   - html: The page.
  ///   - status: The status.
  /// - Returns: The response.
  public static func html(_ html: String, status: Int = 200) -> Response {
    data(Array(html.utf8), type: "text/html; charset=utf-8", status: status)
  }

  /// A plain text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - status: The status.
  /// - Returns: The response.
  public static func text(_ text: String, status: Int = 200) -> Response {
    data(Array(text.utf8), type: "text/plain; charset=utf-8", status: status)
  }

  /// A value as JSON.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - status: The status.
  /// - Returns: The response.
  /// - Throws: `EncodingError` if the value is no JSON, such as a number that is none.
  public static func json(_ value: some Encodable, status: Int = 200) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return data(Array(try encoder.encode(value)), type: "application/json", status: status)
  }

  /// Bytes of a type.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - type: Their media type, `image/png`.
  ///   - status: The status.
  /// - Returns: The response.
  public static func data(_ bytes: [UInt8], type: String, status: Int = 200) -> Response {
    Response(status: status, headers: ["Content-Type": type], body: bytes)
  }

  /// Has the browser open another page, by `GET` (status 303).
  ///
  /// The path may be a visitor's, `?next=/tea`: one that leads to another server is refused.
  ///
  /// - Parameters:
  ///   - address: A path of this server, `/tea?cup=2`; with `external` any address.
  ///   - external: Whether the address may lead to another server; then it must be the program's own.
  /// - Returns: The response.
  /// - Throws: `HTTPError` 400 if the address is not such a one.
  public static func redirect(to address: String, external: Bool = false) throws -> Response {
    // Browsers leave out tabs and ends of lines, and read a backslash as a slash.
    let isClean = address.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }
    let isOwn = address.hasPrefix("/") && !address.hasPrefix("//")
    guard isClean, isOwn || external else {
      throw HTTPError(400, "The address that comes next is no path of this server.")
    }
    var location = ""
    for byte in address.utf8 {
      location += byte < 0x80 ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
    }
    return Response(status: 303, headers: ["Location": location])
  }

  /// A file, which is read off the event loops while it is sent.
  ///
  /// A browser that was cut off, or that jumps within a film, asks for a part (`Range`), and gets it with status 206. With
  /// `If-Range` it gets the part only while the file is the same, which its `ETag` says: by size, place and time of the last change.
  ///
  /// - Parameters:
  ///   - path: The file. A name that comes from a visitor must not be part of it unchecked: `../` leads anywhere.
  ///   - type: Its media type; nil: by the name's extension.
  /// - Returns: The response.
  /// - Throws: `HTTPError` 404 if there is no such file, or it cannot be read.
  public static func file(_ path: String, type: String? = nil) throws -> Response {
    let file = try OpenFile.open(path)
    return Response(
      headers: [
        "Content-Type": type ?? ContentType(fileName: path).name, "ETag": file.tag, "Accept-Ranges": "bytes",
      ], content: .file(file, 0..<file.bytes))
  }

  /// A file of a folder, by a path that may come from a visitor.
  ///
  /// ```swift
  /// application.get("/manual/<path...>") { request in
  ///   try .file(request.parameters["path"] ?? "", in: "Manual")
  /// }
  /// ```
  ///
  /// A path that leads out of the folder finds nothing, nor does a name that begins with a dot. Symbolic links lead where they lead.
  ///
  /// - Parameters:
  ///   - path: The path from the folder, such as `pictures/cup.png`.
  ///   - folder: The folder.
  ///   - type: The file's media type; nil: by the name's extension.
  /// - Returns: The response.
  /// - Throws: `HTTPError` 404 if the folder has no such file, or it cannot be read.
  public static func file(_ path: String, in folder: String, type: String? = nil) throws -> Response {
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    guard names.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") && !$0.utf8.contains(0) }) else {
      throw HTTPError(404, "There is no such file.")
    }
    return try file(folder + "/" + path, type: type)
  }

  /// Bytes that are made while they are sent.
  ///
  /// ```swift
  /// .stream("text/csv; charset=utf-8") { writer in
  ///   try await writer.write("name,cups\r\n")
  ///   for try await order in orders.all() { try await writer.write(order.csv) }
  /// }
  /// ```
  ///
  /// An error ends the connection, so that the browser sees that something is missing. A stream that begins no piece for
  /// as long as its route may take ends, too; else it may go on for as long as it likes.
  ///
  /// - Parameters:
  ///   - type: The media type.
  ///   - length: How many bytes there will be; nil if nobody knows.
  ///   - write: Writes them; cancelled if the browser goes.
  /// - Returns: The response.
  public static func stream(
    _ type: String, length: Int? = nil, _ write: @escaping @Sendable (ResponseWriter) async throws -> Void
  ) -> Response {
    Response(headers: ["Content-Type": type], content: .stream(length: length, write))
  }
}

/// Takes the bytes of a response while they are made.
public struct ResponseWriter: Sendable {
  private let send: @Sendable ([UInt8]) async throws -> Void

  init(_ send: @escaping @Sendable ([UInt8]) async throws -> Void) { self.send = send }

  /// Sends bytes, and returns when the browser has made room for them.
  ///
  /// - Parameter bytes: The bytes.
  /// - Throws: An error if the browser has gone.
  public func write(_ bytes: [UInt8]) async throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      try await send(Array(rest.prefix(Self.pieceBytes)))
      rest = rest.dropFirst(Self.pieceBytes)
    }
  }

  /// Sends a text, and returns when the browser has made room for it.
  ///
  /// - Parameter text: The text.
  /// - Throws: An error if the browser has gone.
  public func write(_ text: String) async throws { try await write(Array(text.utf8)) }

  /// The server keeps no more than this for a browser, beside what the kernel keeps.
  static let pieceBytes = 65_536
}
