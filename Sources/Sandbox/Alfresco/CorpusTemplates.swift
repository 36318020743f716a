/// Sentences with gaps: `{place}`, `{firm}`, `{person}`, `{amount}`, `{date}`, `{number}`.
enum CorpusTemplates {
  static func sentences(_ language: DocumentLanguage) -> [String] {
    switch language {
    case .english: english
    case .german: german
    case .french: french
    case .spanish: spanish
    case .japanese: japanese
    case .greek: greek
    case .arabic: arabic
    }
  }

  /// The template with each gap filled.
  static func filled(_ template: String, _ random: inout SeededRandom) -> String {
    var result = ""
    var rest = template[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      result += rest[..<open]
      result += filling(rest[rest.index(after: open)..<close], &random)
      rest = rest[rest.index(after: close)...]
    }
    return result + rest
  }

  private static func filling(_ gap: Substring, _ random: inout SeededRandom) -> String {
    switch gap {
    case "place": random.pick(places)
    case "firm": random.pick(firms)
    case "person": random.pick(people)
    case "amount": "\(random.number(in: 12...980)),\(SandboxTime.padded(random.below(1000), 3))"
    case "date":
      "\(random.number(in: 2019...2026))-\(SandboxTime.padded(random.number(in: 1...12), 2))-\(SandboxTime.padded(random.number(in: 1...28), 2))"
    default: String(random.number(in: 2...96))
    }
  }

  static let places = [
    "Quay 7", "the north harbour", "Lindenhof", "Saint-Éloi", "Old Mill Street", "the Łazarz depot", "Plaza Mayor",
    "Kaisaniemi", "the lighthouse", "Dock 12",
  ]
  static let firms = [
    "Meridian Bank", "Harbour Works Ltd", "Brückner & Söhne", "Océane Fret", "Castillo Hermanos", "Kitano Shipping",
    "Aegean Lines", "Al-Noor Trading", "Rainbow Bank", "Tideway Surveyors",
  ]
  static let people = [
    "Susan Müller", "Omar Haddad", "Yuki Tanaka", "Zoë Brückner", "José Castillo", "Eleni Papadaki", "Nils Åkerblom",
    "Amélie Dufour", "Łukasz Nowak", "Ada Quinn",
  ]

  static let english = [
    "The facility agreement for {place} was signed by {firm} on {date}.",
    "Drawdown of {amount} euro is allowed once the survey of the quay wall has been accepted.",
    "{person} asked for a written opinion on clause {number} before the term sheet is final.",
    "Interest is payable quarterly and is calculated on a year of 360 days.",
    "The lender may call the loan if the berth stays closed for more than {number} days.",
    "Minutes of the meeting at {place} were approved without changes.",
    "The insurance covers fire, flood and the loss of a crane, but not delay.",
    "{firm} delivers {number} pallets each week and is paid within thirty days.",
    "A copy of the land register is attached as annex B.",
    "The committee thanks {person} for the careful report on the dredging works.",
    "Noise measurements taken on {date} stayed below the limit at every point.",
    "The budget for the new ferry terminal rises to {amount} euro.",
    "Parking permits for residents are issued by the city office at {place}.",
    "All invoices above {amount} need a second signature.",
    "The museum lends {number} paintings to the exhibition in the customs house.",
    "Repairs to the roof begin in spring and last about {number} weeks.",
    "The auditor found no reason to object to the accounts.",
    "A tender for the swing bridge will be published before the summer.",
    "{person} will check the figures again and report to the board.",
    "Guarantees issued by {firm} expire on {date} unless they are renewed.",
    "The pilot reported fog and strong wind from the west.",
    "Personal data in this file is kept for ten years and then destroyed.",
    "This draft replaces all earlier versions and is confidential.",
    "Customers of {firm} receive their statements by post or by mail.",
  ]
  static let german = [
    "Der Kreditvertrag über {amount} Euro wurde am {date} von {firm} unterzeichnet.",
    "Die Sanierung der Kaimauer bei {place} dauert voraussichtlich {number} Wochen.",
    "{person} bittet um eine schriftliche Stellungnahme zu Absatz {number}.",
    "Die Zinsen werden vierteljährlich fällig und auf das Konto der Bank überwiesen.",
    "Das Protokoll der Sitzung wurde ohne Änderungen genehmigt.",
    "Für die Lagerhalle liegt eine gültige Baubewilligung vor.",
    "Die Versicherung deckt Feuer, Wasser und den Ausfall eines Krans.",
    "Öffnungszeiten und Gebühren stehen auf der Rückseite.",
    "Der Prüfer hatte keine Einwände gegen den Jahresabschluss.",
    "Größere Lieferungen müssen drei Tage vorher angemeldet werden.",
    "Die Ausstellung im Zollhaus zeigt {number} Gemälde aus drei Jahrhunderten.",
    "Dieser Entwurf ersetzt alle früheren Fassungen und ist vertraulich.",
  ]
  static let french = [
    "Le contrat de prêt de {amount} euros a été signé le {date} par {firm}.",
    "Les travaux du quai à {place} dureront environ {number} semaines.",
    "{person} demande un avis écrit sur l'article {number} avant la signature.",
    "Les intérêts sont payables chaque trimestre à terme échu.",
    "Le procès-verbal de la séance a été adopté sans modification.",
    "L'assurance couvre l'incendie, l'inondation et la perte d'une grue.",
    "Le musée prête {number} tableaux à l'exposition de la douane.",
    "Les factures supérieures à {amount} exigent une deuxième signature.",
    "Cette ébauche remplace toutes les versions précédentes.",
    "Les données personnelles sont conservées dix ans, puis détruites.",
  ]
  static let spanish = [
    "El contrato de préstamo por {amount} euros fue firmado el {date} por {firm}.",
    "Las obras del muelle en {place} durarán unas {number} semanas.",
    "{person} solicita una opinión por escrito sobre la cláusula {number}.",
    "Los intereses se pagan cada trimestre al final del período.",
    "El acta de la reunión fue aprobada sin cambios.",
    "El seguro cubre incendio, inundación y la pérdida de una grúa.",
    "El museo presta {number} cuadros a la exposición de la aduana.",
    "Este borrador sustituye a todas las versiones anteriores.",
  ]
  static let japanese = [
    "{date}に{firm}との融資契約が締結された。",
    "岸壁の修理工事は約{number}週間かかる予定である。",
    "企業口座の残高は四半期ごとに確認する。",
    "会議の議事録は変更なしで承認された。",
    "保険は火災と洪水およびクレーンの損失を対象とする。",
    "{person}は第{number}条について書面による意見を求めた。",
    "美術館は税関の展覧会に絵画{number}点を貸し出す。",
    "この草案は以前のすべての版に代わるものである。",
  ]
  static let greek = [
    "Η δανειακή σύμβαση ύψους {amount} ευρώ υπογράφηκε στις {date}.",
    "Τα έργα στην προβλήτα θα διαρκέσουν περίπου {number} εβδομάδες.",
    "Τα πρακτικά της συνεδρίασης εγκρίθηκαν χωρίς αλλαγές.",
    "Η ασφάλεια καλύπτει πυρκαγιά, πλημμύρα και απώλεια γερανού.",
    "Οι τόκοι καταβάλλονται κάθε τρίμηνο.",
    "Το παρόν σχέδιο αντικαθιστά όλες τις προηγούμενες εκδόσεις.",
  ]
  static let arabic = [
    "تم توقيع اتفاقية القرض بمبلغ {amount} يورو في {date}.",
    "تستغرق أعمال الرصيف حوالي {number} أسابيع.",
    "تمت الموافقة على محضر الاجتماع دون تغيير.",
    "يغطي التأمين الحريق والفيضان وفقدان الرافعة.",
    "تدفع الفوائد كل ثلاثة أشهر.",
    "تحل هذه المسودة محل جميع النسخ السابقة.",
  ]
}
