import Model

/// What `atrium` alone does.
enum BrowseCommand {
  static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    throw ServiceError.usage("say what to do")
  }
}
