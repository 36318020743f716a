import Model
import Sandbox
import Service
import Store
import TestKit
import Testing
import Wire

@testable import atrium

@Suite(.bounded) struct ContractTests {
  private func backend(_ name: String, _ sandbox: Sandbox) throws -> any Backend {
    let configuration = try Configuration(parsing: Array(sandbox.configuration.utf8), path: "config.yaml")
    let connection = try configuration.requiredConnection(named: name)
    let keeper = MemoryKeeper()
    let surroundings = Surroundings(
      asker: NobodyToAsk(), secrets: SecretSources(environment: [:], keeper: keeper), keeper: keeper,
      clock: SystemClock(), randomBytes: SystemRandom.bytes)
    let maker = try #require(BackendMakers.all[connection.kind])
    return try maker(connection, CurlTransport(), surroundings)
  }

  @Test(arguments: ["bank", "bank gen-h", "docs", "mobile", "mfp", "field"])
  func `a back end keeps its promises over a whole walk`(_ which: String) async throws {
    let sandbox = try Sandbox(Journey.small)
    defer { sandbox.stop() }
    let (name, profile) = (which.prefix { $0 != " " }.description, which.drop { $0 != " " }.dropFirst())
    if !profile.isEmpty {
      let door = try #require(sandbox.hall.doors.first { $0.name == name })
      #expect(door.set("profile", to: String(profile)))
    }
    let backend = try backend(name, sandbox)
    do throws(ServiceError) {
      _ = try await backend.signIn(SignInRequest())
    } catch {
      #expect(Bool(false), "\(error.message)")
    }
    let report = await BackendContract(backend, connection: name).walk()
    #expect(report.violations == [])
    #expect(report.listings >= 3, "\(report)")
    #expect(report.items >= 1, "\(report)")
  }

  @Test(arguments: ["bank", "docs", "mobile", "mfp", "field"])
  func `a back end signs in and out`(_ name: String) async throws {
    let sandbox = try Sandbox(Journey.small)
    defer { sandbox.stop() }
    #expect(await BackendContract(try backend(name, sandbox), connection: name).signInAndOut() == [])
  }

  @Test func `the suite itself finds broken promises`() async throws {
    let stub = StubBackend { script in
      script.list = { location, _ throws(ServiceError) in
        guard location.isRoot else { throw .notFound(location) }
        return Listing(
          location, title: "", columns: [Column("a", "A", .size), Column("a", "B")],
          rows: [Row(Location(connection: "other"), [.text("x")]), Row(location, [.text("x"), .null], opening: .item)])
      }
    }
    let violations = await BackendContract(stub, connection: "bank").walk().violations
    for words in ["a column twice", "leads to other:/", "1 values under 2", "of kind size holds"] {
      #expect(violations.contains { $0.contains(words) }, "\(words): \(violations)")
    }
  }
}
