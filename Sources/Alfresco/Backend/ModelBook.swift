import Model
import Synchronization

/// What the server's content model calls its types, aspects and properties, asked for once and kept.
///
/// The standard model's titles are known here (`PropertyTitles`); only models of the place's own cost a request.
/// Servers before 7.0 do not tell, and then names stand as they are.
final class ModelBook: Sendable {
  private struct State {
    var classes: [String: ModelClass?] = [:]
    var isSilent = false
  }

  private let state = Mutex(State())

  /// Titles for the properties of a node.
  func titles(for node: Node, _ client: AlfrescoClient) async -> ModelTitles {
    let unknown = node.properties.map(\.key).filter { !PropertyTitles.knows($0) }
    guard !unknown.isEmpty else { return ModelTitles() }
    let prefixes = Set(unknown.map { $0.prefix { $0 != ":" } })
    let aspects = node.aspects.filter { prefixes.contains($0.prefix { $0 != ":" }) }
    var classes: [ModelClass] = []
    for name in aspects { if let found = await find(name, isType: false, client) { classes.append(found) } }
    if prefixes.contains(node.type.prefix { $0 != ":" }), let type = await find(node.type, isType: true, client) {
      classes.append(type)
    }
    return ModelTitles(classes)
  }

  private func find(_ name: String, isType: Bool, _ client: AlfrescoClient) async -> ModelClass? {
    let (known, isSilent) = state.withLock { ($0.classes[name], $0.isSilent) }
    if let known { return known }
    guard !isSilent else { return nil }
    do throws(ServiceError) {
      let found = isType ? try await client.type(name).value : try await client.aspect(name).value
      state.withLock { $0.classes[name] = .some(found) }
      return found
    } catch {
      state.withLock { state in
        // Not there, or not for the caller: it will be no different next time.
        if [403, 404].contains(error.status) { state.classes[name] = .some(nil) }
        if [405, 501].contains(error.status) { state.isSilent = true }
      }
      return nil
    }
  }
}

/// Titles of one node's properties, from the model where it tells and from the standard model else.
struct ModelTitles: Sendable {
  private var properties: [String: (aspect: String, title: String)] = [:]
  private var classes: [String: String] = [:]

  init(_ found: [ModelClass] = []) {
    for entry in found {
      if let title = entry.title { classes[entry.id] = title }
      for property in entry.properties {
        properties[property.id] = (entry.id, property.title ?? property.id)
      }
    }
  }

  func aspect(of property: String) -> String {
    PropertyTitles.knows(property)
      ? PropertyTitles.aspect(of: property) : properties[property]?.aspect ?? PropertyTitles.aspect(of: property)
  }

  func title(of property: String) -> String {
    PropertyTitles.knows(property)
      ? PropertyTitles.title(of: property) : properties[property]?.title ?? PropertyTitles.title(of: property)
  }

  func title(ofAspect aspect: String) -> String { classes[aspect] ?? PropertyTitles.title(ofAspect: aspect) }
}
