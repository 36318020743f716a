import Model

/// The dialog for a question of a back end.
package enum QuestionDialog {
  package static func overlay(_ question: Question, id: Int) -> any Overlay {
    let cancel: [Effect] = [.answer(question: id, nil)]
    switch question.kind {
    case .form(let fields, let submit):
      return FormDialog(
        title: question.title, message: question.message, fields: fields, submitTitle: submit,
        failure: question.failure, attemptsLeft: question.attemptsLeft, question: id, cancel: cancel
      ) { [.answer(question: id, .fields($0))] }
    case .browser(let url):
      return WaitDialog(title: question.title, message: question.message, url: url, question: id)
    case .device(let code, let url, let expires):
      return WaitDialog(
        title: question.title, message: question.message, url: url, code: code, expires: expires, question: id)
    case .confirmation(let accept, let isDestructive):
      return ConfirmDialog(
        title: question.title, message: explained(question), accept: accept, isDestructive: isDestructive,
        question: id, accepted: [.answer(question: id, .accepted)], cancelled: cancel)
    case .choice(let choices):
      return MenuDialog(
        title: question.title, message: explained(question),
        entries: choices.map { choice in
          MenuDialog.Entry(choice.title) { [.answer(question: id, .chosen(choice.value))] }
        }, question: id, cancel: cancel)
    }
  }

  private static func explained(_ question: Question) -> String {
    ([question.message] + (question.failure.map { ["✗ \($0)"] } ?? [])).joined(separator: "\n")
  }
}
