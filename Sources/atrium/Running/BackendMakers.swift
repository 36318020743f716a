import Alfresco
import Model
import MobileFirst
import OMCE
import OpenBank
import Service
import Unwired
import Wire

/// The back ends this program is built with: a sixth is one more line.
enum BackendMakers {
  static let all: [BackendKind: BackendMaker] = [
    .openbank: OpenBankBackend.init(connection:transport:surroundings:),
    .alfresco: AlfrescoBackend.init(connection:transport:surroundings:),
    .omce: OMCEBackend.init(connection:transport:surroundings:),
    .mobilefirst: MobileFirstBackend.init(connection:transport:surroundings:),
    .unwired: UnwiredBackend.init(connection:transport:surroundings:),
  ]
}
