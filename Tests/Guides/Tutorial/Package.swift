// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Tea",
  dependencies: [.package(path: "../Musubi")],
  targets: [
    .executableTarget(
      name: "Tea",
      dependencies: [
        .product(name: "MusubiRx", package: "Musubi"),
        .product(name: "Musubi", package: "Musubi"),
      ]),
    .testTarget(
      name: "TeaTests",
      dependencies: [
        "Tea",
        .product(name: "MusubiRx", package: "Musubi"),
        .product(name: "MusubiTesting", package: "Musubi"),
      ]),
  ]
)
