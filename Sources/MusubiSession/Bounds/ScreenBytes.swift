// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
import MusubiRx

/// The memory that the objects of each screen take before anything is in them: what an author's classes take, nobody
/// can work out, so it is measured.
package struct ScreenBytes: Sendable {
  private var bytes: [String: Int] = [:]
  /// The bytes of a screen that could not be made for measuring.
  private var usual = 4_096
  /// How many instances of each screen are made: enough for the allocator's blocks to even out.
  private static let probes = 64

  /// Every screen takes what is usual.
  package init() {}

  /// Measures the screens of an application, each by 64 instances that are let go again.
  ///
  /// - Parameters:
  ///   - routes: The screens, and the shared models.
  ///   - models: Knows the shared models.
  ///   - isHere: Whether the caller runs on the measuring thread; what comes from other threads is for nobody.
  ///   - heapInUse: Asks the allocator how many bytes are handed out, in the whole process: nobody else may be at work.
  package init(
    measuring routes: [ScreenRoute], models: (any ModelSource)? = nil, isHere: @escaping @Sendable () -> Bool,
    heapInUse: () -> Int
  ) {
    for route in routes {
      if let count = Self.measure(route, models, isHere, heapInUse) { bytes[route.name] = count }
    }
    if !bytes.isEmpty { usual = bytes.values.reduce(0, +) / bytes.count }
  }

  /// The bytes of a screen's objects, without the values that it shows.
  subscript(screen: String) -> Int { bytes[screen] ?? usual }

  /// The bytes of one instance; nil if the screen cannot be made without an address.
  private static func measure(
    _ route: ScreenRoute, _ models: (any ModelSource)?, _ isHere: @escaping @Sendable () -> Bool,
    _ heapInUse: () -> Int
  ) -> Int? {
    let clock = RoomScheduler.Loop(
      clock: { .zero }, wallClock: { 0 }, isOnLoop: isHere, enqueue: { _ in })
    var instances: [(ScreenInstance, RoomScheduler)] = []
    instances.reserveCapacity(probes)
    var before = 0
    // The first one pays for what the screen sets up once.
    for number in 0...probes {
      let scheduler = RoomScheduler(clock)
      var context = ScreenContext(
        screen: route.name, room: nil, path: route.path, clock: scheduler,
        random: RandomSource(seed: UInt64(number)))
      context.models = models
      guard let instance = try? LoopContext.with(scheduler, { try ScreenInstance(route, context: context) })
      else { return nil }
      instances.append((instance, scheduler))
      if number == 0 { before = heapInUse() }
    }
    let shown = instances[probes].0.board.heapBytes
    return max(0, (heapInUse() - before) / probes - shown)
  }
}
