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
    case .performAll(let action, let locations, let fields):
      let values = fields.mapValues { $0.reveal() }
      return each(locations, "done", reply) { [service] location throws(ServiceError) in
        try await service.perform(action, at: location, fields: values)
      }
    case .undo(let steps): return undo(steps, reply)
    case .convert(let bytes, let conversion):
      return waiting(reply) { [converter] () throws(ServiceError) in
        .converted(try await converter.convert(bytes, conversion))
      }
    case .checkOut(let location, let maxBytes):
      return waiting(reply) { [service] () throws(ServiceError) in
        let content = try await service.checkOut(location, maxBytes: maxBytes)
        return .content(content.head, content.bytes, isCut: content.isCut)
      }
    case .checkIn(let location, let bytes, let before):
      return waiting(reply) { [service] () throws(ServiceError) in
        .outcome(try await service.checkIn(location, bytes, before: before))
      }
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

  private func delete(_ locations: [Location], _ reply: @escaping @MainActor (Reply) -> Void) -> any PendingRequest {
    each(locations, "deleted", reply) { [service] location throws(ServiceError) in try await service.delete(location) }
  }

  /// One after the other; the first failure ends it and says how far it came. What was done can be undone as a whole.
  private func each(
    _ locations: [Location], _ done: String, _ reply: @escaping @MainActor (Reply) -> Void,
    _ work: @escaping @Sendable (Location) async throws(ServiceError) -> ActionOutcome
  ) -> any PendingRequest {
    waiting(reply) { () throws(ServiceError) in
      var outcomes: [ActionOutcome] = []
      do throws(ServiceError) {
        for location in locations { outcomes.append(try await work(location)) }
      } catch {
        let progress = outcomes.isEmpty ? "" : " (\(outcomes.count) of \(locations.count) are \(done))"
        throw error.during(error.operation + progress)
      }
      if locations.count == 1, let only = outcomes.first { return .outcome(only) }
      return .outcome(
        ActionOutcome(
          "\(done == "deleted" ? "Deleted" : "Did it to") \(Format.count(locations.count, "thing")).",
          undo: outcomes.reversed().flatMap(\.undo)))
    }
  }

  private func undo(_ steps: [Undo], _ reply: @escaping @MainActor (Reply) -> Void) -> any PendingRequest {
    waiting(reply) { [service] () throws(ServiceError) in
      var last: ActionOutcome?
      for step in steps {
        let outcome = try await service.perform(step.action, at: step.location, fields: step.fields)
        last = ActionOutcome(outcome.message, location: outcome.location)
      }
      return .outcome(
        steps.count == 1 ? last ?? ActionOutcome("Taken back.") : ActionOutcome("Taken back: \(steps.count) steps."))
    }
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
