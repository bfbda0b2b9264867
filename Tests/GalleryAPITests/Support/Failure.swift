// SPDX-License-Identifier: Apache-2.0

/// What an async closure that must fail fails with; nil if it does not, or with another error.
func failure<Failure: Error>(
  _ type: Failure.Type = Failure.self, _ body: () async throws -> Void
) async -> Failure? {
  do {
    try await body()
    return nil
  } catch {
    return error as? Failure
  }
}
