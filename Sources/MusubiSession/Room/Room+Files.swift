// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// Controls that take files: pages send them by HTTP, and then name them in an input.
extension Room {
  /// Takes an input that names a file.
  func deliverFile(_ name: String, _ value: Value?, row: [String]) throws(BindingError) {
    guard case .string(let upload) = value else {
      throw .wrongType(name, expects: .file, got: value)
    }
    guard let files = resources.files, let member = member(origin.member) else { throw .unknownUpload }
    let input = "\(member.session.id)/\(origin.input)"
    let file = try files.file(upload, for: control(name, of: member), by: input)
    try instance.deliver(file, to: name, row: row)
  }

  /// Tells a page where it may send files to, if that is news to it.
  func tellFiles(to member: Member) {
    guard !sharedSchema.files.isEmpty, let files = resources.files else { return }
    let open = sharedSchema.files.keys.filter { isAllowed($0, for: member.number) }.sorted()
    if open != member.news?.sending { noteSender(member, of: open) }
    guard let visit = member.session.visit, open != member.news?.openFiles else { return }
    var controls = Value.Object()
    for name in open {
      guard let limit = sharedSchema.files[name] else { continue }
      do {
        controls[name] = [
          "to": .string(
            try files.address(
              for: control(name, of: member),
              at: FileArrivals.Place(key.arrivals, input: name), limit)),
          "bytes": .integer(Int64(limit.size.bytes)), "types": .array(limit.types.map(Value.string)),
        ]
      } catch {
        report("the page cannot send files to \"\(name)\": \(error)")
      }
    }
    news(of: member).tell(files: .object(controls), of: open, after: sequence)
    visit.hasNews()
  }

  /// Has uploads know where a page may send files: nowhere once it has left.
  func noteSender(_ member: Member, of inputs: [String]) {
    guard !sharedSchema.files.isEmpty else { return }
    news(of: member).sending = inputs
    resources.arrivals.open(
      inputs, to: member.session.visitor.id, page: member.number, of: key.arrivals,
      owner: ObjectIdentifier(self))
  }

  private func control(_ name: String, of member: Member) -> FileControl {
    FileControl(
      screen: key.screen, room: key.isPrivate ? nil : key.name, input: name,
      visitor: member.session.visitor.id)
  }
}
