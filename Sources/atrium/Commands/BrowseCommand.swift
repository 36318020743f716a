import Model
import Service
import Store

/// What `atrium` alone does.
enum BrowseCommand {
  static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    if session.isPlain {
      var browser = PlainBrowser(
        session, try session.service(offer: .afterQuestions), downloads: FilePath.workingDirectory)
      return try await browser.run()
    }
    let questions = QuestionQueue()
    let service = try session.service(asker: questions, offer: .afterQuestions)
    return try await Browsing(session, service, questions, isDemo: false).run()
  }
}
