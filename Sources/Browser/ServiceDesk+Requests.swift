import Model
import Screens
import Service

extension RequestHandle: PendingRequest {}

/// A request that several tasks or none stand behind.
@MainActor
private final class TaskRequest: PendingRequest {
  private let task: Task<Void, Never>?
  init(_ task: Task<Void, Never>? = nil) { self.task = task }
  func cancel() { task?.cancel() }
}

extension ServiceDesk {
  package func start(_ request: Request, reply: @escaping @MainActor (Reply) -> Void) -> any PendingRequest {
    switch request {
    case .nature(let location):
      return service.nature(of: location) { [weak self] in
        self?.finish(location.connection, $0, reply) { .nature($0) }
      }
    case .list(let location, let query, let isRefresh):
      // What is known is shown at once; the server's answer replaces it.
      if !isRefresh, let kept = service.keptListing(location, query) { reply(.listing(kept, isFinal: false)) }
      return service.list(location, query) { [weak self] in
        self?.finish(location.connection, $0, reply) { .listing($0, isFinal: true) }
      }
    case .item(let location, let isRefresh):
      if !isRefresh, let kept = service.keptItem(location) { reply(.item(kept, isFinal: false)) }
      return service.item(location) { [weak self] in
        self?.finish(location.connection, $0, reply) { .item($0, isFinal: true) }
      }
    case .charts(let location):
      return service.charts(of: location) { [weak self] in
        self?.finish(location.connection, $0, reply) { .charts($0) }
      }
    case .exportFormats(let location):
      return service.exportFormats(of: location) { reply($0.reply { .exportFormats($0) }) }
    case .search(let connection, let search):
      return service.search(connection, search) { [weak self] in
        self?.finish(connection, $0, reply) { .listing($0, isFinal: true) }
      }
    case .content(let location, let maxBytes):
      return service.content(location, maxBytes: maxBytes) { [weak self] in
        self?.finish(location.connection, $0, reply) { .content($0.head, $0.bytes, isCut: $0.isCut) }
      }
    case .perform(let action, let location, let fields):
      return service.perform(action, at: location, fields: fields.mapValues { $0.reveal() }) { [weak self] in
        self?.finish(location.connection, $0, reply) { .outcome($0) }
      }
    case .delete(let locations): return delete(locations, reply)
    case .signIn(let connection):
      return service.signIn(connection) { [weak self] in self?.finish(connection, $0, reply) { .signIn($0) } }
    case .signOut(let connection):
      return service.signOut(connection) { [weak self] result in
        if case .success = result { self?.signedOut(connection) }
        reply(result.reply { .done })
      }
    case .capabilities(let connection):
      return waiting(reply) { [service] () async throws(ServiceError) in
        .capabilities(try await service.capabilities(of: connection))
      }
    case .vault(let order):
      return waiting(reply) { [house] () async throws(ServiceError) in .vault(try await house.vault(order)) }
    case .exchanges:
      reply(.exchanges(house.exchanges()))
      return TaskRequest()
    case .exchange(let id):
      reply(.exchange(house.exchange(id)))
      return TaskRequest()
    case .call(let connection, let call): return self.call(connection, call, reply)
    case .probe(let address):
      let task = Task { [service] in
        do throws(ServiceError) {
          let found = try await service.probe(address)
          reply(
            .probed(
              found.map { ProbeInfo(kind: $0.kind, url: $0.url, methods: $0.methods, detail: $0.detail) }))
        } catch {
          reply(.failure(error))
        }
      }
      return TaskRequest(task)
    case .saveExchanges(let ids, let name):
      do throws(ServiceError) {
        reply(
          .outcome(
            ActionOutcome("Wrote \(Format.count(ids.count, "exchange")) into \(try house.saveExchanges(ids, name))")))
      } catch {
        reply(.failure(error))
      }
      return TaskRequest()
    }
  }

  private func waiting(
    _ reply: @escaping @MainActor (Reply) -> Void, _ work: @escaping @Sendable () async throws(ServiceError) -> Reply
  ) -> any PendingRequest {
    TaskRequest(
      Task {
        do throws(ServiceError) { reply(try await work()) } catch { reply(.failure(error)) }
      })
  }

  private func finish<Value>(
    _ connection: String, _ result: Result<Value, ServiceError>, _ reply: (Reply) -> Void,
    _ make: (Value) -> Reply
  ) {
    if case .failure(let error) = result { note(connection, error) } else { note(connection, nil) }
    reply(result.reply(make))
  }

  private func call(
    _ connection: String, _ call: RawCall, _ reply: @escaping @MainActor (Reply) -> Void
  ) -> any PendingRequest {
    let task = Task { [service, house, weak self] in
      do throws(ServiceError) {
        _ = try await service.call(connection, call, to: DroppedBytes())
        self?.note(connection, nil)
        let newest = house.exchanges().last { $0.connection == connection && $0.method == call.method }
        reply(.called(exchange: newest?.id))
      } catch {
        self?.note(connection, error)
        reply(.failure(error))
      }
    }
    return TaskRequest(task)
  }

  /// One after the other; the first failure ends it and says how far it came.
  private func delete(_ locations: [Location], _ reply: @escaping @MainActor (Reply) -> Void) -> any PendingRequest {
    let task = Task { [service] in
      var done = 0
      do throws(ServiceError) {
        var last: ActionOutcome?
        for location in locations {
          last = try await service.delete(location)
          done += 1
        }
        let message = locations.count == 1 ? last?.message : nil
        reply(.outcome(ActionOutcome(message ?? "Deleted \(Format.count(done, "thing")).")))
      } catch {
        let progress = done == 0 ? "" : " (\(done) of \(locations.count) are deleted)"
        reply(.failure(error.during(error.operation + progress)))
      }
    }
    return TaskRequest(task)
  }
}

/// For bytes that the exchange log keeps already.
private struct DroppedBytes: ByteSink {
  func begin(_ head: ContentHead, at offset: Int64) {}
  func write(_ bytes: UnsafeRawBufferPointer) {}
}

extension Result where Failure == ServiceError {
  fileprivate func reply(_ make: (Success) -> Reply) -> Reply {
    switch self {
    case .success(let value): make(value)
    case .failure(let error): .failure(error)
    }
  }
}
