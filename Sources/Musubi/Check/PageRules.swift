// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiServer
import MusubiText

/// What a page may hold: the attributes that the client knows, and what each does on which elements.
package enum PageRules {
  /// Those that show an output and stand as they are, without `data-bind-`.
  private static let bound = [
    "text", "value", "checked", "hidden", "shown", "disabled", "each", "time", "spoken", "selected",
    "query", "query-push", "file", "carets",
  ]
  /// All others that stand as they are, without `data-`.
  private static let others = [
    "debounce", "throttle", "compose", "cloak", "screen", "server", "pending", "link", "full", "row",
    "dialog", "back", "forbidden", "too-long", "screen-root", "not-found", "event-text", "for", "type",
    "format", "tone", "connection", "on-move", "handle", "moving", "select",
    "drop", "upload", "append-only", "window", "window-filter", "carets",
  ]
  /// Those that stand as they are.
  ///
  /// A test compares them with the client's own list, and the families as well.
  package static let known = Set(bound.map { "data-bind-" + $0 } + others.map { "data-" + $0 })
  /// Those that end in a name.
  package static let families = [
    "data-bind-class-", "data-bind-attr-", "data-bind-prop-", "data-on-", "data-say-",
  ]
  /// Those that the server takes out when it puts a page together, and why they are still there.
  private static let resolved = [
    "data-layout": "only <html> names a layout",
    "data-fragment": "fragments stand in files whose names begin with _",
    "data-prefix": "it belongs to data-use, which this element does not have",
  ]
  private static let events: Set<String> = [
    "beforeinput", "blur", "cancel", "change", "click", "close", "compositionend", "compositionstart",
    "contextmenu", "copy", "cut", "dblclick", "drag", "dragend", "dragenter", "dragleave", "dragover",
    "dragstart", "drop", "ended", "error", "focus", "focusin", "focusout", "input", "invalid", "keydown",
    "keyup", "load", "mousedown", "mouseenter", "mouseleave", "mousemove", "mouseout", "mouseover", "mouseup",
    "paste", "pause", "play", "pointercancel", "pointerdown", "pointerenter", "pointerleave", "pointermove",
    "pointerout", "pointerover", "pointerup", "reset", "scroll", "select", "submit", "toggle", "touchend",
    "touchmove", "touchstart", "wheel",
  ]
  /// The attributes that `data-bind-attr-` sets, beside those of accessibility.
  package static let settable: Set<String> = [
    "data-tone", "alt", "datetime", "height", "href", "lang", "max", "maxlength", "min", "placeholder",
    "points", "role", "src", "step", "title", "transform", "value", "width",
  ]
  /// The elements whose address `data-bind-attr-` does not set.
  private static let loading: Set<String> = ["base", "embed", "iframe", "link", "object", "script"]
  private static let fields: Set<String> = ["input", "select", "textarea"]
  private static let disableable = fields.union(["button", "fieldset", "optgroup", "option"])

  /// The names nearest to an attribute that the client does not know; nil if it knows it, or it is the page's own.
  static func nearestAttributes(to name: String) -> [String]? {
    guard name.hasPrefix("data-"), !known.contains(name), resolved[name] == nil else { return nil }
    if let family = families.first(where: name.hasPrefix) {
      guard family == "data-on-" else { return nil }
      // Custom elements have events of their own, with a hyphen by custom.
      let type = name.dropFirst(family.count).prefix { $0 != "." }
      if type.contains("-") || events.contains(String(type)) { return nil }
    }
    let usual = ["click", "input", "change", "submit", "focus", "blur", "keydown.enter"].map {
      "data-on-" + $0
    }
    let nearest = (known.sorted() + families + usual).nearest(to: name)
    // Pages have data- attributes of their own; one that begins like ours is more likely a slip.
    let isOurs = name.hasPrefix("data-bind") || name.hasPrefix("data-on")
    return isOurs || nearest.contains { $0.prefix(6) == name.prefix(6) } ? nearest : nil
  }

  /// Why an attribute does nothing on its element; nil if it does something.
  static func idleness(of name: String, on element: PageElement) -> String? {
    let isCustom = element.tag.contains("-")
    switch name {
    case "data-screen" where element.tag != "body", "data-server" where element.tag != "body":
      return "only <body> says which screen a page shows, and where"
    case "data-bind-text", "data-bind-shown", "data-bind-hidden", "data-event-text":
      guard element["role"]?.lowercased() == "status" else { return nil }
      return "the client writes its own status here; write aria-live=\"polite\" instead of role=\"status\""
    case "data-bind-value" where !fields.contains(element.tag) && !isCustom:
      return "only form controls have a value that is bound"
    case "data-bind-carets" where !["input", "textarea"].contains(element.tag):
      return "only fields in which people write have carets"
    case "data-bind-checked"
    where !isCustom && !["checkbox", "radio"].contains(element["type"]?.lowercased()):
      return "only checkboxes are checked"
    case "data-bind-file" where element.tag == "input" && element["type"]?.lowercased() != "file":
      return "only <input type=\"file\"> has files; on another element they are dropped, or pasted into it"
    case "data-bind-disabled" where !disableable.contains(element.tag) && !isCustom:
      return "only form controls can be disabled"
    case "data-bind-each" where element.tag != "template":
      return "rows are made from a <template>"
    case "data-on-move" where element["data-bind-each"] == nil:
      return "rows are moved in a list; write it on the <template> with data-bind-each"
    case "data-append-only" where element["data-bind-each"] == nil:
      return "rows are added to a list; write it on the <template> with data-bind-each"
    case "data-window" where element["data-bind-each"] == nil:
      return "rows are windowed in a list; write it on the <template> with data-bind-each"
    case "data-window-filter" where element.tag != "input":
      return "a list is filtered by what is in an <input>"
    case "data-bind-selected" where element["data-bind-each"] == nil:
      return "rows are selected in a list; write it on the <template> with data-bind-each"
    case "data-select" where !element.ancestors.contains { $0["data-bind-selected"] != nil }:
      return "it is in no row of a list with data-bind-selected"
    case "data-handle" where !element.ancestors.contains { $0["data-on-move"] != nil }:
      return "it is in no row of a list with data-on-move"
    case _ where name.hasPrefix("data-bind-prop-") && !isCustom:
      return "only custom elements have properties that are bound"
    case _ where name.hasPrefix("data-bind-attr-"):
      let attribute = String(name.dropFirst("data-bind-attr-".count))
      if !settable.contains(attribute), !attribute.hasPrefix("aria-") {
        return "a server may not set the attribute \(attribute.prefix(80))"
      }
      let isAddress = attribute == "href" || attribute == "src"
      return isAddress && loading.contains(element.tag)
        ? "a server may not say what <\(element.tag)> loads" : nil
    default:
      return resolved[name]
    }
  }

  /// The attributes that show a value and send an input of its name.
  private static let both: Set<String> = ["data-bind-value", "data-bind-checked", "data-bind-selected"]

  /// Whether an attribute sends an input.
  static func sends(_ name: String) -> Bool {
    name.hasPrefix("data-on-") || name == "data-bind-file" || both.contains(name)
  }

  /// The names that an attribute may have as its value, and what they are.
  ///
  /// - Parameters:
  ///   - name: The attribute.
  ///   - element: Its element.
  ///   - schema: The screen's names.
  /// - Returns: A word and the names; nil if the attribute names nothing of the screen, or nobody can tell.
  static func names(
    for name: String, on element: PageElement, _ schema: ScreenSchema
  ) -> (role: String, names: [String])? {
    let inputs = schema.inputs.map(\.name)
    switch name {
    case "data-event-text": return ("event", schema.events)
    // A View asks by names that it does not declare, and has no events.
    case "data-dialog": return schema.events.isEmpty ? nil : ("question", schema.events)
    case "data-window-filter": return ("output", schema.shownOutputs)
    case _ where name.hasPrefix("data-on-") || name == "data-bind-file": return ("input", inputs)
    case _ where name.hasPrefix("data-bind-") && !element.isInner:
      return ("output", both.contains(name) ? schema.shownOutputs + inputs : schema.shownOutputs)
    default: return nil
    }
  }

  /// What a control or tap sends that an input of this kind does not take; nil if it takes it, or nobody can tell.
  static func mismatch(_ name: String, on element: PageElement, to kind: InputKind) -> String? {
    if name == "data-on-move" { return kind == .move ? nil : "a row's move is sent" }
    if kind == .move { return "no row's move is sent" }
    if name == "data-bind-selected" { return kind == .value ? nil : "a list of ids is sent" }
    let isControl = ["data-bind-value", "data-bind-checked", "data-on-input", "data-on-change"].contains(name)
    guard isControl else {
      let isTap = name == "data-on-click" || name == "data-on-submit"
      // In a row it is sent with the row's id.
      return isTap && !element.isInner && kind != .void && kind != .value ? "a tap sends no value" : nil
    }
    guard !element.isInner, fields.contains(element.tag), kind != .value else { return nil }
    let type = element["type"]?.lowercased() ?? "text"
    if element.tag == "select", element["multiple"] != nil { return "the control sends a list" }
    if name == "data-bind-checked" || (element.tag == "input" && type == "checkbox") {
      return kind == .bool ? nil : "the control sends true or false"
    }
    if element["data-type"] == "number" || (element.tag == "input" && ["number", "range"].contains(type)) {
      return kind == .number || kind == .integer ? nil : "the control sends a number"
    }
    return kind == .string ? nil : "the control sends a string"
  }

  /// Whether a bound control has nothing that says what it is for.
  static func lacksLabel(_ element: PageElement, labelled: Set<String>) -> Bool {
    guard fields.contains(element.tag), element.isBound,
      !["hidden", "submit", "button", "reset", "image"].contains(element["type"]?.lowercased())
    else { return false }
    let names = [
      "aria-label", "aria-labelledby", "title", "data-bind-attr-aria-label", "data-bind-attr-title",
    ]
    return !names.contains { element[$0].map { !$0.isEmpty } ?? false }
      && !element.ancestors.contains { $0.tag == "label" }
      && !(element["id"].map(labelled.contains) ?? false)
  }
}
