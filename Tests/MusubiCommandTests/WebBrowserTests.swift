// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import MusubiCommand

@Suite struct `The browser of musubi dev` {
  @Test func `is opened where there is a display, and a program for it`() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/musubi-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = "/nowhere:\(folder)"
    #expect(!WebBrowser.isThere(in: ["DISPLAY": ":0", "PATH": path]))

    let program = folder + "/xdg-open"
    try "#!/bin/sh\n".write(toFile: program, atomically: true, encoding: .utf8)
    #expect(!WebBrowser.isThere(in: ["DISPLAY": ":0", "PATH": path]))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)

    #expect(WebBrowser.isThere(in: ["DISPLAY": ":0", "PATH": path]))
    #expect(WebBrowser.isThere(in: ["WAYLAND_DISPLAY": "wayland-0", "PATH": path]))
    #expect(!WebBrowser.isThere(in: ["DISPLAY": "", "PATH": path]))
    #expect(!WebBrowser.isThere(in: ["DISPLAY": ":0"]))
  }
}
