// SPDX-License-Identifier: Apache-2.0
import Foundation
public import MusubiBinding
import MusubiServer
import Synchronization

// MARK: - Uploads

extension Application {
  /// Takes files at a path, by the open protocol tus 1.0, which has clients for browsers, phones and the command line.
  ///
  /// ```swift
  /// application.uploads("/photos", to: .megabytes(20), types: ["image/*"]) { file, request in
  ///   try await photos.add(file.id, name: file.name, by: request.visitor)
  ///   try file.take(to: "photos/\(file.id)")
  /// }
  /// ```
  ///
  /// A client that was cut off goes on where the server's bytes end, also when the server was killed meanwhile. Type and size
  /// are checked while bytes arrive. The file waits in `Configuration.uploadFolder` until it is complete.
  ///
  /// `finished` is called when the last byte has arrived, before the client hears so. A file that it has not taken when it
  /// returns is deleted. If the server is killed before that, it is called again with the same `id` when the client asks,
  /// unless the file was taken. So note the `id` first, in a way that may be done twice, and take the file last.
  ///
  /// - Parameters:
  ///   - path: Where uploads begin; each has an address below. A segment such as `<id>` stands for anything.
  ///   - limit: The largest file.
  ///   - types: The types that a file may have by its first bytes: `image/png`, `image/*`.
  ///   - permission: Who may send files; everybody if left out.
  ///   - timeLimit: How long the file's SHA-256 and `finished` may take together, and how long a client for each 16 KiB;
  ///     `Configuration.requestTimeout` if left out.
  ///   - finished: Takes a complete file, off the event loops. `HTTPError` and `Denied` refuse it with their sentence, and it
  ///     is deleted; after any other error the client gets 500, and may ask again.
  public mutating func uploads(
    _ path: String, to limit: FileSize, types: [String] = ["*/*"], for permission: Permission? = nil,
    timeLimit: Duration? = nil,
    finished: @escaping @Sendable (UploadedFile, Request) async throws -> Void
  ) {
    for type in types {
      precondition(FileType.isPattern(type), "\"\(type)\" is no type of files, such as image/png or image/*.")
    }
    let route = UploadRoute(limit: limit, types: types, uploads: uploading, finished: finished)
    uploading.take(upTo: limit.bytes)
    func add(_ method: Request.Method, _ path: String, maxBodyBytes: Int = 0) {
      table.add(
        Route(
          method: method, path: path, permission: permission, isOpen: false, maxBodyBytes: maxBodyBytes,
          timeLimit: timeLimit, readsWhileArriving: method == .patch, answer: route.answer))
    }
    add(.options, path)
    add(.post, path)
    let upload = path + "/<\(UploadRoute.place)>"
    add(.get, upload)
    add(.patch, upload, maxBodyBytes: limit.bytes)
    add(.delete, upload)
  }
}

/// The uploads of an application, from its start on.
final class Uploads: Sendable {
  private struct State {
    /// The most bytes of a file that a route or a control takes; nil if none takes any.
    var largest: Int?
    var identifies = false
    var desk: UploadDesk?
    /// Why a test without a server has none.
    var problem: UploadFailure?
  }

  private let state: Mutex<State>
  /// Seal the addresses of controls; another process has others, and pages get new addresses when they connect again.
  ///
  /// The servers of a cluster have the same.
  let secrets = Secrets()
  /// What is on its way to controls of screens.
  let arrivals = FileArrivals()

  /// The uploads of an application.
  ///
  /// - Parameter desk: What takes them; nil until the server starts.
  init(_ desk: UploadDesk? = nil) { state = Mutex(State(desk: desk)) }

  /// Has a route, or a control of a screen, take files.
  ///
  /// - Parameter bytes: How large one may be.
  func take(upTo bytes: Int) { state.withLock { $0.largest = max($0.largest ?? 0, bytes) } }

  /// Whether requests tell who sends them.
  var identifies: Bool {
    get { state.withLock(\.identifies) }
    set { state.withLock { $0.identifies = newValue } }
  }

  /// The files that have arrived for controls; nil before the server has started.
  var arrived: ArrivedFiles? { state.withLock(\.desk)?.arrived }

  /// The uploads.
  ///
  /// - Throws: `HTTPError` 503 before the server has started, and where a test has no folder.
  func desk() throws(HTTPError) -> UploadDesk {
    let (desk, problem) = state.withLock { ($0.desk, $0.problem) }
    guard let desk else { throw HTTPError(503, problem?.description ?? "The server has not started.") }
    return desk
  }

  /// Opens the folder for a test without a server; without one requests are answered with 503 and the reason.
  func openForTests(_ configuration: Configuration) {
    guard state.withLock({ $0.desk == nil }) else { return }
    do throws(UploadFailure) {
      try open(configuration, configuration.logger)
    } catch {
      state.withLock { $0.problem = error }
    }
  }

  /// Opens the folder that a configuration names, if a route takes files.
  ///
  /// - Parameters:
  ///   - configuration: Names the folder, and has the limits.
  ///   - logger: Is told of limits that do not go together.
  /// - Returns: The uploads; nil if no route takes files.
  /// - Throws: `UploadFailure` if there is no folder, or it cannot be used.
  @discardableResult
  func open(_ configuration: Configuration, _ logger: Logger) throws(UploadFailure) -> UploadDesk? {
    guard let largest = state.withLock(\.largest) else { return nil }
    guard let folder = configuration.uploadFolder ?? configuration.dataFolder.map({ $0 + "/uploads" }) else {
      throw UploadFailure("that is sent needs a folder: name one by --upload-folder, or by --data")
    }
    let files = try UploadFolder(folder)
    var limits = UploadLimits()
    limits.uploadsPerPeer = configuration.maxUploadsPerPeer
    limits.bytesPerPeer = configuration.maxUploadBytesPerPeer
    limits.bytes = configuration.maxUploadBytes ?? DiskSize.of(folder) / 10
    limits.lifetime = configuration.uploadLifetime
    limits.addressFactor = configuration.addressFactor
    let most = min(limits.bytesPerPeer, limits.bytes)
    if largest > most {
      logger.log(
        .warning, "file limit out of reach",
        [
          "limit": "\(largest)", "bytes": "\(most)",
          "message": limits.bytesPerPeer < largest
            ? "nobody may have so much on its way: raise --max-upload-bytes-per-peer, or lower the limit"
            : "all files together may not be so large: raise --max-upload-bytes, or lower the limit",
        ])
    }
    let isShared = configuration.clusterURL != nil && configuration.uploadFolder != nil
    if configuration.clusterURL != nil, !isShared {
      logger.log(
        .warning, "uploads stay on this server",
        [
          "message":
            "name a folder that all servers reach by --upload-folder; else a file is known where it arrives"
        ])
    }
    let desk = try UploadDesk(
      files: files, limits: limits, isShared: isShared, clock: { Date().timeIntervalSince1970 },
      arrivals: arrivals)
    state.withLock { $0.desk = desk }
    return desk
  }
}
