// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// The settings of every Swift target: Swift 6 mode, visible existentials, imports that do not leak, no warnings.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

/// The settings of the documentation's code: what a new package has, and no warnings.
let warningsAsErrors: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// The settings of every C target: no warnings either.
let strictC: [CSetting] = [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]

let package = Package(
  name: "Musubi",
  products: [
    .library(name: "MusubiRx", targets: ["MusubiRx"]),
    .library(name: "MusubiTesting", targets: ["MusubiTesting"]),
    .library(name: "MusubiClient", targets: ["MusubiClient"]),
    .library(name: "Musubi", targets: ["Musubi"]),
    .library(name: "MusubiSQLite", targets: ["MusubiSQLite"]),
    .library(name: "MusubiAccounts", targets: ["MusubiAccounts"]),
    .executable(name: "musubi", targets: ["MusubiCommand"]),
    .executable(name: "gallery", targets: ["gallery"]),
    .executable(name: "musubi-bench", targets: ["musubi-bench"]),
  ],
  targets: [
    // Level 0: C libraries, made reachable from Swift. Each has exactly one importer.
    .target(
      name: "CLibwebsockets", cSettings: strictC,
      linkerSettings: [
        .linkedLibrary("websockets"), .linkedLibrary("ev"), .linkedLibrary("z"), .linkedLibrary("ssl"),
        .linkedLibrary("crypto"),
      ]),
    .target(name: "CTraps", cSettings: strictC),
    // The files of Sources/BrowserClient/, by #embed.
    .target(name: "CBrowserClient", cSettings: strictC + [.disableWarning("c23-extensions")]),
    .systemLibrary(name: "CPostgres", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CQREncode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CSodium", providers: [.apt(["libsodium-dev"])]),

    // Level 1: pure values and the reactive vocabulary.
    .target(name: "MusubiRx", swiftSettings: strict),
    .target(name: "MusubiText", swiftSettings: strict),
    .target(name: "MusubiWire", dependencies: ["MusubiText"], swiftSettings: strict),
    .target(name: "MusubiSQLite", dependencies: ["CSQLite"], swiftSettings: strict),
    .target(name: "MusubiPostgres", dependencies: ["CPostgres"], swiftSettings: strict),

    // Level 2: ViewModels to named inputs and outputs.
    .target(
      name: "MusubiBinding", dependencies: ["MusubiRx", "MusubiText", "MusubiWire"], swiftSettings: strict),

    // Level 2: tables in a file or in a database that servers share.
    .target(
      name: "MusubiTables", dependencies: ["MusubiPostgres", "MusubiSQLite"], swiftSettings: strict),

    // Level 3: sessions and rooms, as state machines without I/O.
    .target(
      name: "MusubiSession", dependencies: ["MusubiBinding", "MusubiRx", "MusubiText", "MusubiWire"],
      swiftSettings: strict),

    // Level 4: the shells around the core, and the tools to test with.
    .target(
      name: "MusubiServer",
      dependencies: ["MusubiSession", "MusubiWire", "CBrowserClient", "CLibwebsockets"],
      swiftSettings: strict),
    .target(
      name: "MusubiStorage",
      dependencies: [
        "MusubiBinding", "MusubiPostgres", "MusubiSession", "MusubiText", "MusubiWire", "MusubiSQLite",
        "CTraps",
      ],
      swiftSettings: strict),
    .target(name: "MusubiClient", dependencies: ["MusubiText", "MusubiWire"], swiftSettings: strict),
    .target(
      name: "MusubiTesting",
      dependencies: ["MusubiSession", "MusubiBinding", "MusubiRx", "MusubiText", "MusubiWire"],
      swiftSettings: strict),

    // Level 5: a node among others.
    .target(
      name: "MusubiCluster", dependencies: ["MusubiServer", "MusubiSession", "MusubiStorage"],
      swiftSettings: strict),

    // Level 5: the port for who runs a server, and the script language of the testers.
    .target(
      name: "MusubiAdmin",
      dependencies: [
        "MusubiServer", "MusubiSession", "MusubiBinding", "MusubiClient", "MusubiRx", "MusubiText",
        "MusubiWire",
      ],
      resources: [
        .embedInCode("status.html"), .embedInCode("status.css"), .embedInCode("inspector.html"),
        .embedInCode("inspector.css"), .embedInCode("inspector.js"),
      ], swiftSettings: strict),
    .target(
      name: "MusubiScript", dependencies: ["MusubiClient", "MusubiText", "MusubiWire"], swiftSettings: strict),

    // Level 6: the façade.
    .target(
      name: "Musubi",
      dependencies: [
        "MusubiAdmin", "MusubiCluster", "MusubiScript", "MusubiServer", "MusubiStorage", "MusubiSession",
        "MusubiBinding",
        "MusubiRx", "MusubiText", "MusubiWire",
      ],
      swiftSettings: strict),

    // Level 7: what an application may add, the samples and the benchmarks.
    .target(
      name: "MusubiAccounts",
      dependencies: ["Musubi", "MusubiServer", "MusubiSession", "MusubiSQLite", "MusubiTables", "CSodium"],
      resources: [
        .embedInCode("Pages/account.html"),
        .embedInCode("Pages/accounts.css"),
        .embedInCode("Pages/choose-password.html"),
        .embedInCode("Pages/confirm-address.html"),
        .embedInCode("Pages/forgotten.html"),
        .embedInCode("Pages/log-in.html"),
        .embedInCode("Pages/message.html"),
        .embedInCode("Pages/request-sign-up.html"),
        .embedInCode("Pages/sign-up.html"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "MusubiCommand",
      dependencies: ["Musubi", "MusubiClient", "MusubiScript", "MusubiServer", "MusubiText"],
      swiftSettings: strict),
    .target(
      name: "GalleryAPI", dependencies: ["MusubiPostgres", "MusubiRx", "MusubiSQLite", "MusubiTables"],
      swiftSettings: strict),
    .target(
      name: "GalleryModel", dependencies: ["GalleryAPI", "MusubiBinding", "MusubiRx"], swiftSettings: strict),
    .target(name: "GallerySegments", swiftSettings: strict),
    .target(
      name: "GalleryScreens",
      dependencies: ["GalleryModel", "GalleryAPI", "GallerySegments", "Musubi", "MusubiServer", "CQREncode"],
      swiftSettings: strict),
    .executableTarget(
      name: "gallery", dependencies: ["GalleryScreens", "Musubi"], swiftSettings: strict),
    .target(
      name: "CBaseline", cSettings: strictC,
      linkerSettings: [.linkedLibrary("websockets"), .linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .executableTarget(
      name: "musubi-bench",
      dependencies: [
        "CBaseline", "GalleryScreens", "GalleryModel", "Musubi", "MusubiBinding", "MusubiClient",
        "MusubiPostgres",
        "MusubiRx", "MusubiServer", "MusubiSession", "MusubiStorage", "MusubiText", "MusubiWire",
        "PostgresServers",
      ],
      swiftSettings: strict),

    // People who type at once, over a bad network: used by the tests, and as a program for many schedules.
    .target(
      name: "Simulation",
      dependencies: [
        "MusubiBinding", "MusubiClient", "MusubiCluster", "MusubiRx", "MusubiSession", "MusubiStorage",
        "MusubiTesting", "MusubiWire",
      ],
      path: "Tests/Simulation", exclude: ["client.mjs", "lines.mjs", "pages.mjs", "row-pages.mjs"],
      swiftSettings: strict),
    .executableTarget(
      name: "musubi-simulate", dependencies: ["Simulation"], path: "Tests/SimulationCommand",
      swiftSettings: strict),

    // The gallery with screens that crash, hang and burn time: for tests that break a server on purpose.
    .executableTarget(
      name: "musubi-breakable", dependencies: ["GalleryScreens", "Musubi"], path: "Tests/BreakableCommand",
      swiftSettings: strict),
    // A screen for those who log in, with the pages of accounts.
    .executableTarget(
      name: "musubi-test-accounts", dependencies: ["Musubi", "MusubiAccounts"], path: "Tests/Accounts",
      exclude: ["Public"], swiftSettings: strict),
    // Screens that browser tests need and no visitor does.
    .executableTarget(
      name: "musubi-test-screens", dependencies: ["Musubi"], path: "Tests/Screens",
      exclude: ["Public", "Scripts"],
      swiftSettings: strict),

    .testTarget(name: "MusubiRxTests", dependencies: ["MusubiRx", "MusubiTesting"], swiftSettings: strict),
    // Code as it is written for RxSwift: Swift 5 mode, and deprecated names may be used.
    .testTarget(
      name: "MusubiRxCompatibility", dependencies: ["MusubiRx", "MusubiTesting"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    // Random numbers, texts, edits and values that a seed repeats.
    .target(
      name: "Seeds", dependencies: ["MusubiText", "MusubiWire"], path: "Tests/Seeds", swiftSettings: strict),
    .testTarget(
      name: "MusubiTextTests", dependencies: ["MusubiText", "MusubiWire", "Seeds"], swiftSettings: strict),
    .testTarget(
      name: "MusubiWireTests", dependencies: ["MusubiClient", "MusubiText", "MusubiWire", "Seeds"],
      swiftSettings: strict),
    .testTarget(
      name: "MusubiStorageTests",
      dependencies: [
        "MusubiStorage", "MusubiSession", "MusubiBinding", "MusubiPostgres", "MusubiRx", "MusubiSQLite",
        "MusubiText", "MusubiWire", "PostgresServers", "Seeds",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MusubiClusterTests",
      dependencies: ["MusubiCluster", "MusubiServer", "MusubiSession", "MusubiStorage", "Seeds"],
      swiftSettings: strict),
    // Servers of PostgreSQL that tests start and end.
    .target(
      name: "PostgresServers", dependencies: ["MusubiPostgres"], path: "Tests/Postgres", exclude: ["serve"],
      swiftSettings: strict),
    .testTarget(
      name: "MusubiPostgresTests", dependencies: ["MusubiPostgres", "PostgresServers"], swiftSettings: strict),
    .testTarget(name: "MusubiSQLiteTests", dependencies: ["MusubiSQLite"], swiftSettings: strict),
    .testTarget(
      name: "MusubiBindingTests",
      dependencies: ["MusubiBinding", "MusubiClient", "MusubiRx", "MusubiWire", "MusubiTesting", "Ported"],
      swiftSettings: strict),
    // A model as an iOS app has it: it depends on nothing.
    .target(
      name: "Ported", path: "Tests/Ported",
      swiftSettings: warningsAsErrors + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    .testTarget(
      name: "MusubiSessionTests",
      dependencies: [
        "MusubiClient", "MusubiSession", "MusubiBinding", "MusubiRx", "MusubiText", "MusubiWire",
        "MusubiTesting",
        "MusubiStorage", "Musubi", "GalleryScreens", "GalleryModel", "GalleryAPI", "PostgresServers",
        "Simulation",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MusubiServerTests",
      dependencies: ["MusubiServer", "MusubiSession", "MusubiBinding", "MusubiRx", "MusubiWire", "Seeds"],
      swiftSettings: strict),
    .testTarget(
      name: "MusubiClientTests", dependencies: ["MusubiClient", "MusubiText", "MusubiWire"],
      swiftSettings: strict),
    .testTarget(
      name: "MusubiScriptTests", dependencies: ["MusubiScript", "MusubiClient", "MusubiText", "MusubiWire"],
      swiftSettings: strict),
    .testTarget(
      name: "MusubiBenchTests", dependencies: ["CBaseline", "musubi-bench"], swiftSettings: strict),
    .testTarget(
      name: "MusubiTests",
      dependencies: [
        "Musubi", "MusubiBinding", "MusubiRx", "MusubiServer", "MusubiSession", "MusubiStorage", "MusubiWire",
        "MusubiTesting",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MusubiCommandTests", dependencies: ["MusubiCommand", "Musubi", "MusubiServer"],
      swiftSettings: strict),
    .testTarget(
      name: "MusubiAdminTests",
      dependencies: [
        "MusubiAdmin", "MusubiBinding", "MusubiRx", "MusubiServer", "MusubiSession", "MusubiTesting",
        "MusubiWire",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MusubiAccountsTests",
      dependencies: [
        "MusubiAccounts", "Musubi", "MusubiPostgres", "MusubiServer", "MusubiSQLite", "MusubiTables",
        "PostgresServers",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "GalleryAPITests",
      dependencies: ["GalleryAPI", "MusubiPostgres", "MusubiSQLite", "PostgresServers"], swiftSettings: strict
    ),
    .testTarget(
      name: "GallerySegmentsTests", dependencies: ["GallerySegments"], swiftSettings: strict),
    .testTarget(
      name: "GalleryModelTests",
      dependencies: [
        "GalleryModel", "GalleryAPI", "MusubiBinding", "MusubiRx", "MusubiSQLite", "MusubiTesting",
        "PostgresServers",
      ],
      swiftSettings: strict),

    // The code of the documentation, byte for byte: the README's example, the tutorial's own package, and the examples
    // of the guides.
    .executableTarget(
      name: "Greeting", dependencies: ["MusubiRx", "Musubi"], path: "Tests/Guides/Greeting/Sources",
      swiftSettings: warningsAsErrors),
    .executableTarget(
      name: "Tea", dependencies: ["MusubiRx", "Musubi"],
      path: "Tests/Guides/Tutorial/Sources/Tea", swiftSettings: warningsAsErrors),
    .testTarget(
      name: "TeaTests", dependencies: ["Tea", "MusubiRx", "MusubiTesting"],
      path: "Tests/Guides/Tutorial/Tests/TeaTests", swiftSettings: warningsAsErrors),
    .executableTarget(
      name: "GuideExamples", dependencies: ["MusubiRx", "Musubi", "MusubiSQLite"],
      path: "Tests/Guides/Examples", exclude: ["Public", "Scripts"], swiftSettings: warningsAsErrors),
    .testTarget(
      name: "GuideTests",
      dependencies: [
        "Greeting", "GuideExamples", "Musubi", "MusubiBinding", "MusubiRx", "MusubiSQLite", "MusubiTesting",
      ],
      exclude: ["ferry.record"],
      swiftSettings: warningsAsErrors),
  ]
)
