/// Names of one script: as their bearers write them, and in ASCII for logins.
struct Script: Sendable {
  typealias Name = (own: String, ascii: String)

  let given: [Name]
  let family: [Name]
  /// The family name stands first and no space follows.
  var familyFirst = false

  static let all = [latin, cyrillic, greek, han, kana, hangul, arabic, hebrew, devanagari, thai]

  static let latin = Script(
    given: [
      ("Ada", "ada"), ("Álvaro", "alvaro"), ("Åse", "ase"), ("Béla", "bela"), ("Chloé", "chloe"), ("Đorđe", "dorde"),
      ("Élodie", "elodie"), ("Fergus", "fergus"), ("Gülşen", "gulsen"), ("Håkon", "hakon"), ("İlker", "ilker"),
      ("Jürgen", "jurgen"), ("Kateřina", "katerina"), ("Łukasz", "lukasz"), ("María", "maria"), ("Ngozi", "ngozi"),
      ("Óscar", "oscar"), ("Þóra", "thora"), ("Siobhán", "siobhan"), ("Tomáš", "tomas"), ("Ursula", "ursula"),
      ("Việt", "viet"), ("Wanjiru", "wanjiru"), ("Zoë", "zoe"),
    ],
    family: [
      ("Andersson", "andersson"), ("Brontë", "bronte"), ("Çelik", "celik"), ("D’Angelo", "dangelo"),
      ("Eriksen", "eriksen"), ("Fitzgerald", "fitzgerald"), ("García Márquez", "garcia"), ("Håland", "haland"),
      ("Ó Briain", "obriain"), ("Janáček", "janacek"), ("Kowalczyk", "kowalczyk"), ("Łoś", "los"), ("Nguyễn", "nguyen"),
      ("Okonkwo", "okonkwo"), ("Peña", "pena"), ("Quirós", "quiros"), ("Sørensen", "sorensen"), ("Szűcs", "szucs"),
      ("van der Meer", "vandermeer"), ("Weiß", "weiss"), ("Yıldız", "yildiz"), ("Žižka", "zizka"),
    ]
  )

  static let cyrillic = Script(
    given: [("Ольга", "olga"), ("Дмитрий", "dmitri"), ("Ганна", "hanna"), ("Светлана", "svetlana"), ("Іван", "ivan")],
    family: [("Шевченко", "shevchenko"), ("Иванова", "ivanova"), ("Ђорђевић", "djordjevic"), ("Петров", "petrov")]
  )

  static let greek = Script(
    given: [("Ελένη", "eleni"), ("Γιώργος", "giorgos"), ("Μαρία", "maria"), ("Νίκος", "nikos")],
    family: [("Παπαδόπουλος", "papadopoulos"), ("Οικονόμου", "ikonomou"), ("Βασιλείου", "vasiliou")]
  )

  static let han = Script(
    given: [("秀英", "xiuying"), ("伟", "wei"), ("小明", "xiaoming"), ("丽娟", "lijuan")],
    family: [("王", "wang"), ("欧阳", "ouyang"), ("陳", "chen"), ("李", "li")],
    familyFirst: true
  )

  static let kana = Script(
    given: [("花子", "hanako"), ("さくら", "sakura"), ("健", "ken"), ("ユキ", "yuki")],
    family: [("山田", "yamada"), ("佐藤", "sato"), ("渡邊", "watanabe"), ("髙橋", "takahashi")],
    familyFirst: true
  )

  static let hangul = Script(
    given: [("민준", "minjun"), ("서연", "seoyeon"), ("지우", "jiu")],
    family: [("김", "kim"), ("이", "lee"), ("박", "park"), ("최", "choi")],
    familyFirst: true
  )

  static let arabic = Script(
    given: [("ليلى", "layla"), ("محمد", "mohammed"), ("فاطمة", "fatima"), ("يوسف", "yusuf")],
    family: [("الخطيب", "alkhatib"), ("بن سعيد", "bensaid"), ("حداد", "haddad")]
  )

  static let hebrew = Script(
    given: [("נועה", "noa"), ("דוד", "david"), ("יעל", "yael")],
    family: [("כהן", "cohen"), ("לוי", "levi"), ("מזרחי", "mizrahi")]
  )

  static let devanagari = Script(
    given: [("प्रिया", "priya"), ("अर्जुन", "arjun"), ("लक्ष्मी", "lakshmi")],
    family: [("शर्मा", "sharma"), ("पटेल", "patel"), ("सिंह", "singh")]
  )

  static let thai = Script(
    given: [("สมชาย", "somchai"), ("มาลี", "malee"), ("กิตติ", "kitti")],
    family: [("ศรีสุข", "srisuk"), ("ใจดี", "jaidee")]
  )
}
