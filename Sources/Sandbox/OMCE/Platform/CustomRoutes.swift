import Crypto
import Glibc
import HTTPServer
import JSON
import Synchronization

/// Custom APIs: one that answers what it was sent, one for offline use, one that breaks, one that is slow; reference omce.md,
/// sections 5.1 and 6.5.
extension OMCRoutes {
  mutating func addCustom() {
    on("GET|POST|PUT|PATCH|DELETE", "/mobile/custom/echo/{rest...}") { call in .json(call.echo()) }
    on("GET|POST|PUT|PATCH|DELETE", "/mobile/custom/broken/{rest...}") { _ throws(OMCError) in
      throw OMCError(500, "Internal Server Error", "The custom code threw an exception.")
    }
    on("GET", "/mobile/custom/slow/{rest...}") { call in
      let milliseconds = min(Int(call.request.query("ms") ?? "") ?? 3_000, 120_000)
      usleep(UInt32(max(0, milliseconds)) * 1_000)
      return .json(["waited": .int(milliseconds)])
    }
    let tasks = "/mobile/custom/tasks/items"
    on("GET", tasks) { call throws(OMCError) in
      _ = try call.person()
      return call.taskList()
    }
    on("POST", tasks) { call throws(OMCError) in
      _ = try call.person()
      let task = call.server.tasks.add(try call.json().node())
      let location = (call.knobs.locationWithoutSlash ? "" : "/") + TaskList.path(task.number)
      return call.item(task, status: 201).adding("Location", location)
    }
    on("GET", tasks + "/{number}") { call throws(OMCError) in
      _ = try call.person()
      let task = try call.theTask()
      return call.request.header("If-None-Match") == task.eTag
        ? ServerResponse(status: 304, headers: [("ETag", task.eTag)]) : call.item(task, status: 200)
    }
    on("PUT|PATCH", tasks + "/{number}") { call throws(OMCError) in
      _ = try call.person()
      let body = try call.json().node()
      try call.sufferTaskConflict()
      let task = try call.theTask()
      guard let changed = call.server.tasks.change(task.number, ifMatch: call.request.header("If-Match"), to: body)
      else {
        throw .preconditionFailed
      }
      return call.item(changed, status: 200)
    }
    on("DELETE", tasks + "/{number}") { call throws(OMCError) in
      _ = try call.person()
      try call.sufferTaskConflict()
      let task = try call.theTask()
      guard call.server.tasks.remove(task.number, ifMatch: call.request.header("If-Match")) else {
        throw .preconditionFailed
      }
      return .empty(204)
    }
  }
}

/// The tasks of the sync-enabled API.
final class TaskList: Sendable {
  struct Item: Sendable {
    let number: Int
    var body: JSONNode

    /// A hash of the JSON, as custom code in the field makes it.
    var eTag: String { "\"\(number)-\(Hex.encode(Hash.sha1.digest(body.encoded())).prefix(12))\"" }
  }

  private let setting: DoorSetting
  private let items: Mutex<[Item]>

  init(_ setting: DoorSetting) {
    self.setting = setting
    items = Mutex(Self.start(setting))
  }

  private static func start(_ setting: DoorSetting) -> [Item] {
    (1...12).map { number in
      Item(
        number: number,
        body: [
          "no": .int(number), "title": .string(setting.city.words(3, "mobile/task", index: number)),
          "done": .bool(number % 4 == 0), "assignee": .string(number % 2 == 0 ? "bert" : "ada"),
        ])
    }
  }

  static func path(_ number: Int) -> String { "mobile/custom/tasks/items/\(number)" }

  var all: [Item] { items.withLock { $0 } }

  func item(_ number: Int) -> Item? { all.first { $0.number == number } }

  func reset() { items.withLock { $0 = Self.start(setting) } }

  func add(_ body: JSONNode) -> Item {
    items.withLock { items in
      let number = (items.map(\.number).max() ?? 0) + 1
      var numbered = body
      numbered["no"] = .int(number)
      let item = Item(number: number, body: numbered)
      items.append(item)
      return item
    }
  }

  /// nil where the tag is stale or the task is gone.
  func change(_ number: Int, ifMatch tag: String?, to body: JSONNode) -> Item? {
    items.withLock { items in
      guard let place = items.firstIndex(where: { $0.number == number }),
        tag == nil || tag == "*" || tag == items[place].eTag
      else { return nil }
      items[place].body = body
      items[place].body["no"] = .int(number)
      return items[place]
    }
  }

  func remove(_ number: Int, ifMatch tag: String?) -> Bool {
    items.withLock { items in
      guard let place = items.firstIndex(where: { $0.number == number }),
        tag == nil || tag == "*" || tag == items[place].eTag
      else { return false }
      items.remove(at: place)
      return true
    }
  }
}

extension OMCCall {
  /// Method, path, query, body, and the platform's own headers; never the credentials.
  fileprivate func echo() -> JSONNode {
    let shown = request.server.headers.filter { field in
      let name = field.name.lowercased()
      return name.hasPrefix("oracle-mobile-") && !name.contains("token") || name == "content-type" || name == "accept"
    }
    let text = request.bodyText()
    return [
      "method": .string(request.method), "path": .string("/" + self["rest"]),
      "query": .object(request.server.query.map { .init(key: $0.name, value: .string($0.value)) }),
      "headers": .object(shown.map { .init(key: $0.name.lowercased(), value: .string($0.value)) }),
      "body": request.json()?.node() ?? (text.isEmpty ? nil : .string(text)), "user": .string(principal.name),
    ]
  }

  fileprivate func theTask() throws(OMCError) -> TaskList.Item {
    guard let number = Int(self["number"]), let found = server.tasks.item(number) else {
      throw .notFound("The task \(self["number"])")
    }
    return found
  }

  /// Only clients that sync learn what kind of resource it is.
  private func marked(_ response: ServerResponse, as kind: String) -> ServerResponse {
    guard request.header("Oracle-Mobile-Sync-Agent")?.lowercased() == "true" else { return response }
    let marked = response.adding("Oracle-Mobile-Sync-Resource-Type", kind)
    guard knobs.sendsSyncHints else { return marked }
    return marked.adding("Oracle-Mobile-Sync-Expires", now.adding(seconds: 60).http)
      .adding("Oracle-Mobile-Sync-No-Store", kind == "item" ? "true" : "false")
  }

  fileprivate func item(_ task: TaskList.Item, status: Int) -> ServerResponse {
    marked(.json(task.body, status: status).adding("ETag", task.eTag), as: "item")
  }

  /// A plain array for ordinary clients, three parallel lists for those that sync.
  fileprivate func taskList() -> ServerResponse {
    let tasks = server.tasks.all
    guard request.header("Oracle-Mobile-Sync-Agent")?.lowercased() == "true" else {
      return .json(.array(tasks.map(\.body)))
    }
    let body: JSONNode = [
      "items": .array(tasks.map(\.body)), "uris": .list(tasks) { .string(TaskList.path($0.number)) },
      "etags": .list(tasks) { .string($0.eTag) }, "properties": ["total": .int(tasks.count)],
    ]
    return marked(.json(body), as: "collection")
  }

  /// An ordered conflict: somebody else changes the task just before this write.
  fileprivate func sufferTaskConflict() throws(OMCError) {
    guard server.storage.takeConflict() else { return }
    let task = try theTask()
    var body = task.body
    body["title"] = "Changed by tess"
    _ = server.tasks.change(task.number, ifMatch: nil, to: body)
    guard knobs.conflictStatus == 409 else { return }
    throw OMCError(409, "Conflict", "The task is being changed by somebody else.")
  }
}
