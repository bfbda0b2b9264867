// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiSession

/// Uploads for controls of screens: each page is told an address that is good for its visitor and one control.
extension Uploads: SentFiles {
  /// What the address of a control says, sealed.
  struct Grant: Codable {
    let control: FileControl
    let place: FileArrivals.Place
    let bytes: Int
    let types: [String]
  }

  /// Where the addresses begin.
  static let controlsPath = "/musubi/uploads"
  private static let purpose = "musubi upload"
  /// A page that is open for longer gets another address when it connects again.
  private static let validity: Duration = .seconds(86_400)

  func address(for control: FileControl, at place: FileArrivals.Place, _ limit: FileLimit) throws -> String {
    let grant = Grant(control: control, place: place, bytes: limit.size.bytes, types: limit.types)
    return "\(Self.controlsPath)/" + (try secrets.seal(grant, for: Self.purpose, validFor: Self.validity))
  }

  func file(_ upload: String, for control: FileControl, by input: String) throws(BindingError) -> UploadedFile
  {
    guard let arrived else { throw .unknownUpload }
    return try arrived.file(UploadDesk.id(of: upload), for: control, by: input)
  }

  /// What somebody may send by an address.
  ///
  /// - Parameters:
  ///   - text: The last part of the address.
  ///   - visitor: Who sends it.
  /// - Returns: The grant; nil if it is none, has ended, or is another visitor's.
  func grant(_ text: String, to visitor: Visitor) -> Grant? {
    guard let grant = secrets.open(text, as: Grant.self, for: Self.purpose) else { return nil }
    // Where requests tell nobody, the address itself is the proof.
    return identifies && grant.control.visitor != visitor.id ? nil : grant
  }
}

extension RouteTable {
  /// Adds the addresses at which pages send files to controls.
  ///
  /// - Parameters:
  ///   - uploads: The uploads.
  ///   - limit: The largest file of all controls.
  mutating func addFileControls(_ uploads: Uploads, to limit: FileSize) {
    let route = UploadRoute(limit: limit, types: ["*/*"], uploads: uploads, finished: nil)
    let path = "\(Uploads.controlsPath)/<\(UploadRoute.place)>"
    for method: Request.Method in [.options, .post, .get, .patch, .delete] {
      add(
        Route(
          method: method, path: path, permission: nil, isOpen: false,
          maxBodyBytes: method == .patch ? limit.bytes : 0, timeLimit: nil,
          readsWhileArriving: method == .patch, answer: route.answer))
    }
  }
}
