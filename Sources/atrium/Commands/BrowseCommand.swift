import Model
import Service

/// What `atrium` alone does.
enum BrowseCommand {
  static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let questions = QuestionQueue()
    let service = try session.service(asker: questions, offer: .afterQuestions)
    return try await Browsing(session, service, questions, isDemo: false).run()
  }
}
