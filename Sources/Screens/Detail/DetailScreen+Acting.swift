import Model

extension DetailScreen {
  func open(_ world: World) -> [Effect] {
    switch target(world) {
    case .link(let link): return [.open(link.location, link.opening)]
    case .action(let action):
      if let reason = action.disabled { return [.say(Message(.warning, "\(action.title): \(reason)"))] }
      return [ActionMenu.begin(action, at: location)]
    case .field(let field):
      if world.isPrivate, field.isPrivate {
        let key = world.keys.sign(for: .privacy, in: place)
        return [.say(Message(.info, "Privacy mode hides this; \(key) switches it off"))]
      }
      return [.push(ViewerScreen(location: location, title: field.title, text: field.value.exactText))]
    case nil: return []
    }
  }

  func act(_ command: Command, _ world: World) -> [Effect] {
    guard let item else { return [] }
    switch command {
    case .actions: return [.present(ActionMenu(target: location, item: item, container: nil))]
    case .copy: return [.present(CopyMenu.dialog(copyEntries(item, world)))]
    case .inspect:
      return item.raw.map { [.push(ViewerScreen(location: location, title: item.title, answer: $0))] } ?? []
    case .download: return [.order(.download(location, name: item.content?.name ?? item.title))]
    case .delete: return [.present(ConfirmDialog.delete([location], names: [item.title], from: location))]
    case .openOutside: return [.outside(.content(location, name: item.content?.name ?? item.title))]
    case .view:
      if let head = item.content { return [.push(ViewerScreen(content: item.preview ?? location, head: head))] }
      return [.push(ChartScreen(location, asks: true))]
    case .edit: return [.outside(.edit(location, name: item.content?.name ?? item.title))]
    default: return []
    }
  }

  private func copyEntries(_ item: Item, _ world: World) -> [CopyMenu.Entry] {
    var entries: [CopyMenu.Entry] = []
    if case .field(let field) = target(world), !field.value.isNull {
      entries.append(CopyMenu.Entry(field.title, field.value.exactText, isPrivate: field.isPrivate))
    }
    entries.append(CopyMenu.Entry("Location", location.text))
    let all = item.fields.map { "\($0.title): \($0.value.exactText)" }.joined(separator: "\n")
    entries.append(CopyMenu.Entry("All fields", all, isPrivate: true))
    if let raw = item.raw {
      entries.append(CopyMenu.Entry("JSON as received", String(decoding: raw.bytes, as: UTF8.self), isPrivate: true))
    }
    return entries
  }
}
