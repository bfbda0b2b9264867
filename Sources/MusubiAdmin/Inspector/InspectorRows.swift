// SPDX-License-Identifier: Apache-2.0

/// The values of the inspector, as the page's names have them; texts are in the visitor's language.
enum InspectorRows {
  /// A room in the list of all.
  struct Room: Encodable, Equatable, Identifiable {
    let id: String
    let screen: String
    let name: String
    let pages: String
    let isChosen: Bool
    let address: String
  }

  /// A value of what a room shows, with those inside of it below it.
  struct Node: Encodable, Equatable, Identifiable {
    /// The way to it.
    let id: String
    let name: String
    /// As JSON; empty if its parts are below it.
    let value: String
    /// A space for each value that it is inside of.
    let indent: String
    /// `odd` or `even` if the shown turn has changed it: two words, so that each turn flashes anew; else empty.
    let flash: String
  }

  /// Something that has happened.
  struct Line: Encodable, Equatable, Identifiable {
    let id: Int
    /// Since the room was made.
    let time: String
    let who: String
    let what: String
    /// As JSON.
    let detail: String
    let isTurn: Bool
  }

  /// The chosen room.
  struct Chosen: Encodable, Equatable {
    var title = ""
    var people = ""
    /// What there is to know of it besides; empty if nothing.
    var note = ""
  }

  /// The frame with the page of the chosen room, as it was.
  struct Frame: Encodable, Equatable {
    /// Where the page is, empty if there is none; another one is another frame.
    var address = ""
    var title = ""
  }

  /// The slider over the turns.
  struct Slider: Encodable, Equatable {
    var max = 0
    var label = ""
  }
}
