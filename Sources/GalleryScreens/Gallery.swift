// SPDX-License-Identifier: Apache-2.0
import GalleryModel
public import Musubi

/// The screens of the gallery.
public enum Gallery {
  /// Adds every screen to an application.
  public static func addScreens(to application: inout Application) {
    application.screen("number", scope: .room, page: "number.html") { context in
      NumberView(model: RandomNumberModel(generator: context.random))
    }
    application.screen("number-alone", scope: .session, page: "number.html") { context in
      NumberView(model: RandomNumberModel(generator: context.random))
    }
    application.screen("note", scope: .room, page: "note.html") { context in NoteView(context: context) }
  }
}
