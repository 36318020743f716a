/// Words for names, titles and running text.
enum Words {
  static let plain = [
    "annual", "archive", "audit", "autumn", "balance", "bridge", "budget", "canal", "catalogue", "centre", "charter",
    "clock", "contract", "copper", "council", "customer", "daily", "delivery", "district", "draft", "east", "engine",
    "estimate", "festival", "final", "forecast", "garden", "green", "harbour", "heritage", "index", "inspection",
    "invoice", "island", "journal", "kitchen", "ledger", "letter", "library", "light", "market", "meeting", "memo",
    "minutes", "morning", "museum", "north", "notes", "office", "orchard", "order", "outline", "overview", "park",
    "permit", "picture", "plan", "platform", "policy", "press", "product", "project", "proposal", "quarter", "record",
    "repair", "report", "review", "river", "roof", "schedule", "school", "season", "service", "site", "south", "spring",
    "station", "statement", "stone", "summary", "summer", "survey", "team", "tower", "town", "traffic", "training",
    "travel", "tree", "update", "village", "visit", "volume", "water", "west", "winter", "workshop", "yard", "year",
  ]
  static let occupations = [
    "a baker", "a bus driver", "a carpenter", "a cartographer", "a clock maker", "a gardener", "a lawyer",
    "a lighthouse keeper", "a nurse", "a physicist", "a surveyor", "a teacher", "a translator", "a violin maker",
    "an archivist", "an electrician",
  ]
  static let hobbies = [
    "repairing radios", "singing in a choir", "growing tomatoes", "playing chess by post", "walking along the canal",
    "drawing maps of places that do not exist", "swimming in cold water", "learning Faroese",
  ]
  static let mailHosts = ["mail.example", "post.example", "city.example", "home.example"]
  static let streets = [
    "Harbour Street", "Rue de l’Église", "Bahnhofstraße", "Ulica Świętojańska", "Calle del Niño Perdido",
    "Via della Conciliazione", "Kungsgatan", "Οδός Ερμού", "вулиця Хрещатик", "Mannerheimintie", "中央通り", "Long Acre",
  ]
  static let companyFirst = [
    "Blue", "Copper", "Fjord", "Golden", "Harbour", "Iron", "Juniper", "Kestrel", "Linden", "Meridian", "Nordic", "Old",
    "Polar", "Quiet", "River", "Silver", "Tidal", "Union", "Violet", "Willow",
  ]
  static let companySecond = [
    "Bakery", "Bicycles", "Books", "Brewery", "Cinema", "Energy", "Fabrics", "Florists", "Foods", "Fuel", "Insurance",
    "Joinery", "Laundry", "Letters", "Market", "Pharmacy", "Railway", "Telecom", "Tools", "Water",
  ]
  static let companyForms = ["AB", "AG", "AS", "B.V.", "GmbH", "Ltd", "Oy", "S.A.", "s.r.o.", "& Daughters", "Co-op"]
  static let foreignCompanies = [
    "株式会社さくら", "東京電力サービス", "ООО «Ромашка»", "שוק הכרמל", "شركة النور", "삼성동 서점", "Ζαχαροπλαστείο Η Καλαμάτα",
    "北京小吃店", "ร้านกาแฟ", "चाय घर", "Crêperie L’Été", "Bäckerei Öhler",
  ]

  static let awkward = [
    "",
    "企業口座",
    "חשבון חיסכון",
    "الحساب الجاري",
    "👩‍👩‍👧‍👦 family 🏠",
    "\u{1B}[31mred\u{1B}[0m alert",
    "line one\nline two",
    "tab\there",
    "\u{202E}gnp.slairetam\u{202C}",
    "bell\u{7} and null-like \u{1}",
    "c1 \u{9B}2J control",
    "  spaces around  ",
    "a/b?c#d%20e",
    "=SUM(A1:A9)",
    "\"quoted\", with, commas",
    "Ａｌｌ ｗｉｄｅ",
    "z\u{0335}a\u{0300}\u{0301}\u{0302}l\u{0334}g\u{0327}o",
    "ﷺ ligature",
    "zero\u{200B}width\u{FEFF}",
    "An account whose label goes on for so long that no column of any terminal will ever show the whole of it at once, "
      + "which is a pity, because its owner took great care to say exactly what the account is for",
    "null",
    "<b>bold</b> & <script>alert(1)</script>",
  ]
}
