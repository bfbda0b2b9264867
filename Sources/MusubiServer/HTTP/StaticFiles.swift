// SPDX-License-Identifier: Apache-2.0

/// The public folder and the client's files, read once into a table from path to finished answers.
///
/// The client is part of the program. A file of the folder at one of its paths, which may be an older client, is not shown.
/// A look-up in a table cannot leave the folder. Symbolic links that do are skipped when the folder is read.
package struct StaticFiles: Sendable {
  /// A file as it is sent.
  struct File: Sendable {
    var body: [UInt8]
    /// The body compressed; nil if that does not pay.
    var gzip: [UInt8]?
    var etag: String
    var type: ContentType
  }

  /// The folder; nil if all files are the program's own.
  private let root: String?
  private let routes: [PageRoute]
  private var filesByPath: [String: File]
  /// Files of a program's own.
  private var own: [(path: String, name: String, body: [UInt8])] = []
  private let patterns: [(route: PageRoute, file: File)]
  private let notFoundPage: File?
  private let fingerprint: FolderReader.Fingerprint
  /// Files of the folder that are not shown, because the client has a file of this path with other contents.
  package let hidden: [String]
  /// Whether an author changes the files, so that browsers ask for each again; else their types decide it.
  var isDevelopment = false
  /// Where the elements of a page come from that was put together, by the page's path.
  private let origins: [String: PageOrigins]

  /// Reads a folder.
  ///
  /// - Parameters:
  ///   - root: The folder.
  ///   - routes: Paths besides those of the files themselves. `/` shows `index.html` anyway.
  /// - Throws: `ServerError` if the folder or the file of a route is missing, something cannot be read, or a page cannot be
  ///   put together.
  package init(root: String, routes: [PageRoute]) throws(ServerError) {
    let folder = try FolderReader(root: root)
    // First of all the pages: while one is broken, nobody waits for other files to be read and compressed.
    let pages = try Self.pages(in: folder, root: root)
    var files: [String: File] = [:]
    for page in pages { files["/" + page.path] = Self.file(named: page.path, page.bytes) }
    for path in folder.paths where !path.hasSuffix(".html") {
      files["/" + path] = Self.file(named: path, try folder.contents(of: path))
    }
    origins = Dictionary(pages.compactMap { page in page.origins.map { ("/" + page.path, $0) } }) { $1 }
    var hidden: [String] = []
    for (path, body) in ClientFiles.all {
      if let file = files.updateValue(Self.file(named: path, body), forKey: "/" + path), file.body != body {
        hidden.append(path)
      }
    }
    self.hidden = hidden
    notFoundPage = files["/404.html"]
    var patterns: [(route: PageRoute, file: File)] = []
    let shown = files
    if let index = shown["/index.html"] { files["/"] = index }
    for route in routes {
      guard let file = shown["/" + route.file] else {
        throw .missingPage(route.file, route: route.path, folder: root)
      }
      if route.isPattern { patterns.append((route, file)) } else { files[route.path] = file }
    }
    filesByPath = files
    self.patterns = patterns
    self.root = root
    self.routes = routes
    fingerprint = folder.fingerprint
  }

  /// The pages of a folder, put together.
  ///
  /// - Throws: `ServerError` with all that is wrong with them, or the page that cannot be read.
  private static func pages(
    in folder: FolderReader, root: String
  ) throws(ServerError) -> [(path: String, bytes: [UInt8], origins: PageOrigins?)] {
    var contents: [String: [UInt8]] = [:]
    for path in folder.paths where path.hasSuffix(".html") { contents[path] = try folder.contents(of: path) }
    let composer = PageComposer(contents, library: ClientFiles.parts)
    var problems = composer.problems
    var pages: [(path: String, bytes: [UInt8], origins: PageOrigins?)] = []
    for path in folder.paths where contents[path] != nil && !PageComposer.isPart(path) {
      do throws(PageProblem) {
        let page = try composer.page(path)
        pages.append((path, page.bytes, page.origins))
      } catch {
        // A mistake in a layout is one, however many pages have it.
        if !problems.contains(error) { problems.append(error) }
      }
    }
    guard problems.isEmpty else { throw .brokenPages(problems, folder: root) }
    return pages
  }

  /// The client's files alone.
  package init() {
    filesByPath = [:]
    (root, routes, patterns, notFoundPage) = (nil, [], [], nil)
    (fingerprint, hidden, origins) = ([:], [], [:])
    for (path, body) in ClientFiles.all { filesByPath["/" + path] = Self.file(named: path, body) }
  }

  /// These files and a program's own, which come before others of their paths.
  ///
  /// - Parameter own: The files by path, such as `/`, each with the name that tells its type.
  /// - Returns: All of them.
  package func adding(_ own: [(path: String, name: String, body: [UInt8])]) -> StaticFiles {
    var all = self
    all.own += own
    for (path, name, body) in own { all.filesByPath[path] = Self.file(named: name, body) }
    return all
  }

  /// Answers a request for a file or a page.
  func response(to request: HTTPRequest) -> HTTPResponse {
    guard request.isLooking else {
      var response = HTTPResponse.text(405, "This server answers GET and HEAD.")
      response.headers.append((name: "Allow", value: "GET, HEAD"))
      response.closes = true
      return response
    }
    if let file = filesByPath[request.path] ?? patterns.first(where: { $0.route.matches(request.path) })?.file
    {
      return response(with: file, to: request)
    }
    guard let notFoundPage else { return .text(404, "There is nothing at this address.") }
    var unconditional = request
    unconditional.headers["if-none-match"] = nil
    var response = response(with: notFoundPage, to: unconditional)
    response.status = 404
    return response
  }

  /// Reads the folder again if something in it has changed, and has stayed as it is since the last look: editors empty
  /// a file before they write it.
  ///
  /// Pages that cannot be put together are read once, and then when something has changed.
  ///
  /// - Parameter looks: What the last look saw; this look takes its place.
  /// - Returns: The new table, or nil if the old one still holds.
  /// - Throws: `ServerError` as the initializer does.
  package func reloaded(after looks: inout FolderLooks) throws(ServerError) -> StaticFiles? {
    guard let root else { return nil }
    let now = try FolderReader(root: root).fingerprint
    defer { looks.last = now }
    guard now != fingerprint, now == looks.last, now != looks.refused else { return nil }
    do throws(ServerError) {
      var files = try StaticFiles(root: root, routes: routes).adding(own)
      files.isDevelopment = isDevelopment
      looks.refused = nil
      return files
    } catch {
      // A file that cannot be read may be readable the next time, and looks the same.
      if error.kind != .unreadableFile { looks.refused = now }
      throw error
    }
  }

  private func response(with file: File, to request: HTTPRequest) -> HTTPResponse {
    let compressed = request.acceptsGzip ? file.gzip : nil
    let etag = "\"\(file.etag)\(compressed == nil ? "" : "-gzip")\""
    var headers = [
      (name: "ETag", value: etag),
      (
        name: "Cache-Control",
        value: file.type.isLongLived && !isDevelopment ? "public, max-age=86400" : "no-cache"
      ),
    ]
    if file.gzip != nil { headers.append((name: "Vary", value: "Accept-Encoding")) }
    if Self.matches(request.headers["if-none-match"], etag) {
      return HTTPResponse(status: 304, headers: headers)
    }
    headers.append((name: "Content-Type", value: file.type.name))
    if compressed != nil { headers.append((name: "Content-Encoding", value: "gzip")) }
    return HTTPResponse(status: 200, headers: headers, body: compressed ?? file.body)
  }

  /// Whether the browser already has what the entity tag names (RFC 9110, section 13.1.2: weak comparison).
  private static func matches(_ condition: String?, _ etag: String) -> Bool {
    guard let condition else { return false }
    return condition.split(separator: ",").contains { member in
      let tag = member.trimmed
      return tag == "*" || tag == etag[...] || tag == "W/" + etag
    }
  }

  private static func file(named name: String, _ body: [UInt8]) -> File {
    let type = ContentType(fileName: name)
    var gzip: [UInt8]?
    if type.isCompressible, body.count > 256, let smaller = Gzip.compressed(body),
      smaller.count < body.count * 9 / 10
    {
      gzip = smaller
    }
    return File(body: body, gzip: gzip, etag: Self.digest(body), type: type)
  }

  /// FNV-1a over 64 bits, and the length: no secret hangs on it, it only tells versions of a file apart.
  private static func digest(_ body: [UInt8]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in body { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 36) + "-" + String(body.count, radix: 36)
  }
}

extension StaticFiles {
  /// The addresses of files and pages, without those of pages whose paths have places.
  package var paths: [String] { Array(filesByPath.keys) }

  /// The pages' texts by path, for checks when the server starts.
  package var htmlPages: [(path: String, text: String)] {
    filesByPath.filter { $0.key.hasSuffix(".html") }
      .map { (path: $0.key, text: String(decoding: $0.value.body, as: UTF8.self)) }
      .sorted { $0.path < $1.path }
  }

  /// Where an element of a page comes from: the page itself, its layout or a fragment.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - attribute: One of its attributes, which may come from another file; nil for its tag.
  ///   - path: The page's path.
  /// - Returns: The origin; nil if the page was not put together.
  package func origin(
    of element: PageElement, attribute: String? = nil, in path: String
  ) -> PageOrigin? {
    origins[path]?.origin(of: element, attribute: attribute)
  }

  /// What a file server has to have in order to show the same: each file by its path, pages put together, and the client's.
  ///
  /// The page of a route is the index of a folder; routes with places in their paths are left out.
  package var contents: [(path: String, body: [UInt8])] {
    var contents: [String: [UInt8]] = [:]
    for (path, file) in filesByPath where !isFolder(path) { contents[path] = file.body }
    for (path, file) in filesByPath where isFolder(path) { contents[Self.index(of: path)] = file.body }
    return contents.map { (path: String($0.key.dropFirst()), body: $0.value) }.sorted { $0.path < $1.path }
  }

  /// A route whose page has the place of another page in `contents`, and that place; nil if there is none.
  package var clash: (route: String, path: String)? {
    var found: [String: [UInt8]] = [:]
    for (path, file) in filesByPath.sorted(by: { $0.key < $1.key }) where isFolder(path) {
      let index = Self.index(of: path)
      if let other = found[index] ?? filesByPath[index]?.body, other != file.body {
        return (path, String(index.dropFirst()))
      }
      found[index] = file.body
    }
    return nil
  }

  /// Whether a path is the index of a folder where files alone are.
  private func isFolder(_ path: String) -> Bool {
    path == "/" || (!path.hasSuffix(".html") && routes.contains { $0.path == path })
  }

  private static func index(of path: String) -> String {
    path + (path.hasSuffix("/") ? "" : "/") + "index.html"
  }
}

/// What looks at a folder have seen.
package struct FolderLooks: Sendable {
  /// The last of them; nil before.
  var last: FolderReader.Fingerprint?
  /// The newest one whose files could not be used; nil if all could.
  var refused: FolderReader.Fingerprint?

  /// No look yet.
  package init() {}
}
