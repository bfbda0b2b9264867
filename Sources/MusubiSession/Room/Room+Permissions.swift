// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiText
import MusubiWire

/// Who may send which input: the answers to the rules beside the names.
extension Room {
  /// Whether a member may send an input.
  func isAllowed(_ name: String, for number: Int) -> Bool {
    guard !sharedSchema.permissions.isEmpty, let permission = sharedSchema.permissions[name] else {
      return true
    }
    guard let visitor = member(number)?.session.visitor else { return false }
    return instance.grants(permission, to: visitor)
  }

  /// Why a member's edit of a text is not taken; nil if it may send it.
  func refusal(of name: String, _ number: Int) -> TextBridge.RefusalReason? {
    isAllowed(name, for: number) ? nil : .notAllowed
  }

  /// The inputs that a page may not send, for its first frame; nil for a screen without rules.
  ///
  /// A frame of its own tells it only what changes from now on.
  func greet(_ member: Member) -> [String]? {
    guard let forbidden = forbidden(for: member.session.visitor) else { return nil }
    news(of: member).greet(forbidden: forbidden)
    return forbidden
  }

  private func forbidden(for visitor: Visitor) -> [String]? {
    guard !sharedSchema.permissions.isEmpty else { return nil }
    return sharedSchema.permissions.filter { !instance.grants($0.value, to: visitor) }.keys.sorted()
  }

  /// Tells pages what has changed for them alone: in frames of their own, because turns are the same for all.
  func tellEach() {
    for member in members { tell(member) }
    for window in instance.windows { window.forget() }
  }

  /// Tells a page what it may not send, what it shows for its visitor alone, and where files go, if that is news to it.
  func tell(_ member: Member) {
    tellPermissions(to: member)
    tellPersonalOutputs(to: member)
    tellFiles(to: member)
  }

  private func tellPersonalOutputs(to member: Member) {
    guard sharedSchema.hasPersonalOutputs, let visit = member.session.visit else { return }
    do {
      var personal = try instance.personalOutputs(for: member.session.visitor)
      if let windows = member.news?.windows, !windows.isEmpty {
        personal = try add(windows, to: personal, of: member)
      }
      guard personal != member.news?.personal else { return }
      news(of: member).tell(personal: personal, after: sequence)
      visit.hasNews()
    } catch {
      report("the rows that a page looks at, or its personal outputs, cannot be told: \(error)")
    }
  }

  /// Adds the rows that a page looks at.
  private func add(
    _ windows: [String: RowWindow], to personal: Value, of member: Member
  ) throws -> Value {
    guard case .object(var members) = personal else { return personal }
    for (name, var window) in windows.sorted(by: { $0.key < $1.key }) {
      guard let (output, _) = instance.window(named: name) else { continue }
      members[name] = try window.value(of: output)
      news(of: member).windows[name] = window
    }
    return .object(members)
  }

  /// A page looks at other rows of a long list: they come behind the turn.
  ///
  /// - Parameters:
  ///   - name: The window's name: that of the list, with the part behind it.
  ///   - part: The part of the list.
  ///   - value: Which rows.
  /// - Returns: Whether it was taken.
  func look(at name: String, _ part: String, _ value: Value?) -> RoomOutcome {
    guard let window = RowWindow(value, part: part) else { return .refused(.wrongWindow(name)) }
    if let member = member(origin.member) {
      guard news(of: member).windows[name] != nil || news(of: member).windows.count < RowWindow.most else {
        return .refused(.wrongWindow(name))
      }
      news(of: member).windows[name] = window
      if window.takesPatches { news(of: member).takesPatches = true }
    }
    return .taken
  }

  private func tellPermissions(to member: Member) {
    guard let visit = member.session.visit, let forbidden = forbidden(for: member.session.visitor),
      forbidden != member.news?.forbidden
    else { return }
    news(of: member).tell(forbidden: forbidden, after: sequence)
    visit.hasNews()
  }

  func news(of member: Member) -> OwnNews {
    let news = member.news ?? OwnNews()
    member.news = news
    return news
  }
}
