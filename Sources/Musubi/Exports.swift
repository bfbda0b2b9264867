// SPDX-License-Identifier: Apache-2.0

// One import is enough to write a screen: its vocabulary comes along.
@_exported public import MusubiBinding
@_exported public import MusubiRx
