import Model

// A file edited outside: held against others, fetched, stored as a version, let go.
extension ServiceLayer {
  /// Locks a file, where its back end has locks, and fetches it.
  ///
  /// - Throws: `.usage` when it is too large to edit, the reason of the lock action when somebody else holds it. Nothing
  ///   stays locked then.
  package func checkOut(_ location: Location, maxBytes: Int) async throws(ServiceError) -> Content {
    let operation = "edit \(location)"
    let item = try await item(location)
    guard item.content != nil else { throw .notOffered(operation, "there is no content behind it") }
    let lock = item.actions.first { $0.id == "lock" }
    if let reason = lock?.disabled { throw ServiceError(.conflict, operation, detail: reason) }
    // Held already: by us, or the server says no to the upload later. It is not ours to let go then.
    let isOurs = lock != nil
    if isOurs { _ = try await perform("lock", at: location, fields: [:]) }
    do throws(ServiceError) {
      let content = try await self.content(location, maxBytes: maxBytes)
      guard !content.isCut else {
        throw ServiceError(
          .usage, operation, detail: "it is larger than what can be edited here",
          remedy: "Download it, change it, and upload it again.")
      }
      return content
    } catch {
      if isOurs { await release(location) }
      throw error
    }
  }

  /// Stores what was edited as the next version, and lets the file go, whatever happens.
  ///
  /// - Parameters:
  ///   - bytes: Nil when nothing was changed.
  ///   - before: The content as it was fetched; a file that is another one by now is a conflict.
  package func checkIn(_ location: Location, _ bytes: [UInt8]?, before: ContentHead) async throws(ServiceError)
    -> ActionOutcome
  {
    guard let bytes else {
      await release(location)
      return ActionOutcome("“\(before.name)” was not changed.")
    }
    do throws(ServiceError) {
      let request = UploadRequest(
        MemorySource(bytes), name: before.name, mediaType: before.mediaType, ifMatch: before.validator)
      let place = try await upload(request, to: location)
      await release(location)
      return ActionOutcome("Stored “\(before.name)” as a new version.", location: place)
    } catch {
      await release(location)
      throw error
    }
  }

  /// Unlocks what is locked; a lock that is gone already is no failure, and the upload's own matters more.
  private func release(_ location: Location) async {
    guard let item = try? await item(location),
      item.actions.contains(where: { $0.id == "unlock" && $0.disabled == nil })
    else { return }
    _ = try? await perform("unlock", at: location, fields: [:])
  }
}
