// SPDX-License-Identifier: Apache-2.0

// MARK: - Parts of files

extension Response {
  /// The response for a browser that asks for a part of a file, or that has the file already (RFC 9110, sections 13 and 14).
  ///
  /// Of several parts at once, and of what is no range, the browser gets the whole file, as it may.
  ///
  /// - Parameter request: What it asks for.
  /// - Returns: The part with status 206, 304, 412 or 416; the response itself if that is what the browser gets.
  func part(for request: Request) -> Response {
    guard case .file(let file, let whole) = content, status == 200 else { return self }
    let tag = headers["ETag"]
    if let wanted = request.headers["if-match"], !Self.list(wanted, has: tag, isStrong: true) {
      return Response.text("This is another file now.\n", status: 412).following(self)
    }
    if let tag, let known = request.headers["if-none-match"], Self.list(known, has: tag) {
      var unchanged = Response(status: 304, headers: headers)
      unchanged.headers["Content-Type"] = nil
      return unchanged.following(self)
    }
    guard request.method == .get, let asked = ByteRange(request.headers["range"]) else { return self }
    // A date is no proof: within its second the file may have changed twice.
    if let condition = request.headers["if-range"], condition != tag { return self }
    var part = self
    guard let range = asked.range(of: whole.count) else {
      part = Response.text("The file has \(whole.count) bytes.\n", status: 416).following(self)
      part.headers["Content-Range"] = "bytes */\(whole.count)"
      return part
    }
    part.status = 206
    part.headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(whole.count)"
    part.content = .file(file, range)
    return part
  }

  /// The same response with what follows another one.
  private func following(_ other: Response) -> Response {
    var response = other
    (response.status, response.headers, response.content) = (status, headers, content)
    return response
  }

  /// Whether a list of entity tags has one; a weak one counts for all that only looks.
  private static func list(_ tags: String, has tag: String?, isStrong: Bool = false) -> Bool {
    tags.split(separator: ",").contains { member in
      let member = member.trimmingPrefix(while: \.isWhitespace)
      let shown = isStrong ? member : member.trimmingPrefix("W/")
      return member == "*" || tag.map { shown.prefix { !$0.isWhitespace } == $0 } ?? false
    }
  }
}

/// The one part of a file that a browser asks for: `bytes=0-99`, `bytes=100-` or `bytes=-50`.
enum ByteRange: Equatable {
  case from(Int, through: Int)
  case last(Int)

  /// Reads the value of `Range`; nil if it is missing, says something else, or names several parts.
  init?(_ text: String?) {
    guard let text, text.lowercased().hasPrefix("bytes=") else { return nil }
    let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map {
      $0.trimmingPrefix(while: \.isWhitespace)
    }
    guard ends.count == 2 else { return nil }
    switch (Self.number(ends[0]), Self.number(ends[1])) {
    case (let first?, let last?):
      guard first <= last else { return nil }
      self = .from(first, through: last)
    case (let first?, nil) where ends[1].isEmpty: self = .from(first, through: .max)
    case (nil, let count?) where ends[0].isEmpty: self = .last(count)
    default: return nil
    }
  }

  /// The part of so many bytes; nil if there is nothing of it.
  func range(of count: Int) -> Range<Int>? {
    switch self {
    case .from(let first, let last): first < count ? first..<(min(last, count - 1) + 1) : nil
    case .last(let most): min(most, count) > 0 ? (count - min(most, count))..<count : nil
    }
  }

  /// A number of digits alone; one that is too large stands for the largest.
  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
      return nil
    }
    return Int(text) ?? .max
  }
}
