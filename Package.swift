// swift-tools-version: 6.2

import PackageDescription

// Arrows between targets go one way, from `atrium` down to `Model` and the C libraries. A target that does not list
// another cannot import it, so a wrong arrow is a build error. docs/architecture.md draws the picture.

/// A back end: speaks to one kind of server and is a public Swift kit of its own.
func backend(_ name: String, _ more: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: ["JSON", "Model", "Store", "Wire"] + more)
}

/// Tests of a target; `files` are folders of golden files and fixtures, which the tests read where they stand.
func tests(_ target: String, _ more: [Target.Dependency] = [], files: [String] = []) -> Target {
  .testTarget(
    name: "\(target)Tests",
    dependencies: [.target(name: target), "TestKit"] + more,
    exclude: files
  )
}

let package = Package(
  name: "atrium",
  products: [
    .executable(name: "atrium", targets: ["atrium"]),
    .library(name: "OpenBank", targets: ["OpenBank"]),
    .library(name: "Alfresco", targets: ["Alfresco"]),
    .library(name: "OMCE", targets: ["OMCE"]),
    .library(name: "MobileFirst", targets: ["MobileFirst"]),
    .library(name: "Unwired", targets: ["Unwired"]),
  ],
  targets: [
    // C libraries: a module map and a shim each. CNcurses has a few lines of C too: the signal handler that gives the
    // terminal back.
    .target(name: "CNcurses", linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]),
    .systemLibrary(name: "CCrypto"),
    .systemLibrary(name: "CSQLite"),
    .systemLibrary(name: "CYaml"),
    .systemLibrary(name: "CKeyutils"),
    // These two load their library when it is first needed: together they would triple the time of a start.
    .target(name: "CCurl"),
    .target(name: "CMicrohttpd"),
    .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),

    // Where secrets and keys lie.
    .target(name: "LockedMemory"),

    // The only importer of each C library.
    .target(name: "Crypto", dependencies: ["CCrypto", "LockedMemory"]),
    .target(name: "Curl", dependencies: ["CCurl"]),
    .target(name: "HTTPServer", dependencies: ["CMicrohttpd"]),
    .target(name: "JSON", dependencies: ["CSimdjson"]),
    .target(name: "SQLite", dependencies: ["CSQLite"]),
    .target(name: "YAML", dependencies: ["CYaml"]),

    // Values, and what is done with them.
    .target(name: "Model", dependencies: ["LockedMemory"]),
    .target(name: "Wire", dependencies: ["Crypto", "Curl", "HTTPServer", "JSON", "Model"]),
    .target(name: "Store", dependencies: ["CKeyutils", "Crypto", "JSON", "LockedMemory", "Model", "SQLite", "YAML"]),

    // Back ends; they never import each other.
    backend("OpenBank"),
    backend("Alfresco"),
    backend("OMCE", ["Crypto"]),  // proves an offline sign-in without keeping the password
    backend("MobileFirst", ["Crypto"]),  // its clients sign assertions with a key of their own
    backend("Unwired"),

    .target(name: "Service", dependencies: ["JSON", "Model", "Store", "Wire"]),
    .target(name: "Screens", dependencies: ["Model"]),
    .target(name: "Terminal", dependencies: ["CNcurses", "Model"]),
    .target(name: "Browser", dependencies: ["Model", "Screens", "Service", "Terminal"]),

    // Plays tapes on the browser: a terminal and a clock of its own, and films of what was shown.
    .target(name: "Stage", dependencies: ["Browser", "JSON", "Model", "Screens", "Store"]),

    // Five servers on loopback; shares no codec with a client.
    .target(name: "Sandbox", dependencies: ["Crypto", "HTTPServer", "JSON"]),

    .executableTarget(
      name: "atrium",
      dependencies: [
        "Alfresco", "Browser", "Crypto", "JSON", "LockedMemory", "MobileFirst", "Model", "OMCE", "OpenBank", "Sandbox",
        "Screens",
        "Service", "Stage", "Store", "Terminal", "Unwired", "Wire",
      ]
    ),

    // Measures from inside what Tools/bench cannot see from outside; simdjson's own parser stands beside ours.
    .target(name: "CBench", linkerSettings: [.linkedLibrary("simdjson")]),
    .executableTarget(
      name: "atrium-bench",
      dependencies: [
        "CBench", "Crypto", "JSON", "Model", "OpenBank", "Sandbox", "Screens", "Service", "Store", "Wire",
      ],
      path: "Sources/Bench"
    ),

    .target(name: "TestKit", dependencies: ["Model", "Wire"]),
    tests("LockedMemory"),
    tests("Model"),
    tests("Crypto", ["LockedMemory"]),
    tests("JSON"),
    tests("YAML"),
    tests("SQLite"),
    tests("HTTPServer", ["Wire"]),
    tests("Wire", ["Crypto", "HTTPServer", "JSON"]),
    tests("Store", ["Crypto", "LockedMemory"]),
    tests("Sandbox", ["Wire", "JSON"]),
    tests("OpenBank", ["Sandbox"]),
    tests("Alfresco", ["Sandbox"]),
    tests("OMCE", ["Sandbox"]),
    tests("MobileFirst", ["Sandbox"]),
    tests("Unwired", ["Sandbox"]),
    tests("Service", ["JSON"]),
    tests("Screens", files: ["Golden"]),
    tests("Terminal"),
    // Opened and ended by the journeys in a pseudo-terminal, in ways that the program itself never takes.
    .executableTarget(name: "TerminalProbe", dependencies: ["Model", "Terminal"], path: "Tests/TerminalProbe"),
    tests("Browser", ["Sandbox"]),
    tests("Stage", ["Browser", "JSON", "Screens"]),
    .testTarget(name: "BenchTests", dependencies: ["atrium-bench", "TestKit"]),
    .testTarget(
      name: "atriumTests",
      dependencies: [
        "atrium", "HTTPServer", "JSON", "Model", "Sandbox", "Service", "Store", "TerminalProbe", "TestKit",
        "Wire",
      ]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// What the fuzzer runs, and what replays its corpus in the tests: `make fuzz` asks for the former.
let fuzzed: [Target.Dependency] = [
  "Alfresco", "Crypto", "JSON", "MobileFirst", "Model", "OMCE", "Service", "Store", "Terminal", "Unwired", "Wire",
  "YAML",
]
if let engine = Context.environment["ATRIUM_FUZZ_ENGINE"] {
  package.targets.append(
    .executableTarget(
      name: "Fuzz", dependencies: fuzzed, path: "Fuzz", exclude: ["Corpus", "Replay"], sources: ["Targets", "Main"],
      linkerSettings: [.unsafeFlags([engine, "-lstdc++"])]))
} else {
  package.targets.append(
    .testTarget(
      name: "FuzzTests", dependencies: fuzzed, path: "Fuzz", exclude: ["Corpus", "Main"],
      sources: ["Targets", "Replay"]
    ))
}

// A warning is an error in every target of ours.
for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
}
