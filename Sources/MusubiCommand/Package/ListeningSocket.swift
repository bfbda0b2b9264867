// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A socket on loopback that listens, whichever process answers.
struct ListeningSocket {
  let descriptor: Int32
  let port: UInt16

  /// Opens it.
  ///
  /// - Parameter port: The port; 0 takes any free one.
  /// - Throws: `ToolError` if somebody else listens there.
  init(port: UInt16) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var (yes, length) = (Int32(1), socklen_t(MemoryLayout<sockaddr_in>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && listen(descriptor, 128) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    guard status else {
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw ToolError("port \(port) cannot be listened on: \(reason); name another one by --port.")
    }
    // Out of the way of the places at which programs get sockets.
    self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
    let reason = String(cString: strerror(errno))
    close(descriptor)
    guard self.descriptor >= 0 else { throw ToolError("port \(port) cannot be listened on: \(reason).") }
    self.port = UInt16(bigEndian: address.sin_port)
  }
}
