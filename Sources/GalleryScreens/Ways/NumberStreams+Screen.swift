// SPDX-License-Identifier: Apache-2.0
import GalleryModel
import Musubi

extension NumberStreams: InputOutputViewModel, Restorable {}
