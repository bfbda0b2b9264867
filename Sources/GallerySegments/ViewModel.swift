// SPDX-License-Identifier: Apache-2.0

/// A ViewModel without any reactive framework: an enum of states, and one closure.
package protocol ViewModel: AnyObject {
  /// Everything that can happen to the View.
  associatedtype State

  /// Called with each new state; the View sets it, and clears it before it goes.
  var stateDidUpdate: ((State) -> Void)? { get set }
}
