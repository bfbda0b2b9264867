// SPDX-License-Identifier: Apache-2.0

// A model layer imports single symbols only.

import class MusubiRx.Observable
import class MusubiRx.PublishRelay
import typealias MusubiRx.Driver
import typealias MusubiRx.Signal

struct NarrowInputs {
  let tap: Signal<Void>
  let title: Driver<String>
}
