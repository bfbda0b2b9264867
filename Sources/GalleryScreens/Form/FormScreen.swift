// SPDX-License-Identifier: Apache-2.0
package import GalleryModel
import Musubi

/// The form screen (`Public/form.html`): every kind of control, checked by the server while it is filled in.
extension FormViewModel: InputOutputViewModel {}
extension FormViewModel: Restorable {}
