// SPDX-License-Identifier: Apache-2.0
import CBaseline
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A count of system calls` {
  @Test func `ends although the process makes none, and whoever began it blocks all signals`() throws {
    let child = Process()
    child.executableURL = URL(filePath: "/bin/sleep")
    child.arguments = ["50"]
    try child.run()
    defer { child.terminate() }
    // As threads of Dispatch do.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

    var failure: Int32 = 0
    guard let trace = musubi_trace_start(child.processIdentifier, &failure) else {
      print("not run: the system forbids to trace, error \(failure)")
      return
    }
    let counts = musubi_trace_stop(trace)

    #expect(counts.sends == 0)
  }
}
