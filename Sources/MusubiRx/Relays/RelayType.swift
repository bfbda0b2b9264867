// SPDX-License-Identifier: Apache-2.0

/// Something that accepts elements and never ends: what the three relays have in common.
public protocol RelayType<Element> {
  /// The type of the elements.
  associatedtype Element

  /// Tells the observers an element.
  func accept(_ event: Element)
}
