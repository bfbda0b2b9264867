// SPDX-License-Identifier: Apache-2.0
package import GalleryModel
package import Musubi

extension NumberProperties: ObservableViewModel {
  package static var bindings: [PageBinding<NumberProperties>] {
    [.field("number", \.number), .output("label", \.label), .action("roll") { $0.roll() }]
  }
}

extension NumberProperties: Restorable {
  package var state: String { label }
}
