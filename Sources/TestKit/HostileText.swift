/// What a server can put into a text to harm a terminal or whoever looks at it.
package enum HostileText {
  package static let corpus: [String] = [
    // A terminal acts on these: colours, cursor, title, clipboard, queries, modes, character sets, device strings.
    "red\u{1B}[31m", "wipe\u{1B}[2J\u{1B}[H", "away\u{1B}[99;99H", "title\u{1B}]0;owned\u{7}",
    "clip\u{1B}]52;c;b3duZWQ=\u{1B}\\", "link\u{1B}]8;;http://x.example\u{1B}\\y", "asks\u{1B}[6n\u{1B}[c\u{1B}[5n",
    "modes\u{1B}[?1049h\u{1B}[?1000h\u{1B}[?2004l", "reset\u{1B}c", "lines\u{1B}(0qqq", "device\u{1B}P+q544e\u{1B}\\",
    "paste\u{1B}[201~:quit\r", "half an escape\u{1B}",
    // The same as C1, and other controls.
    "c1\u{9B}31m", "c1 title\u{9D}0;owned\u{9C}", "c1 all \u{80}\u{85}\u{8D}\u{90}\u{9F}",
    "bell\u{7}back\u{8}\u{8}\u{8}",
    "del\u{7F}", "nul\u{0}nul", "so\u{E}si\u{F}", "cr\rover", "lf\nnext", "tab\tstop", "ff\u{C}vt\u{B}",
    "nel\u{85}ls\u{2028}ps\u{2029}",
    // Text that reads in another order than it stands.
    "invoice\u{202E}fdp.exe", "iso\u{2066}lated\u{2069}", "emb\u{202A}edded\u{202B}\u{202D}",
    "marks\u{200E}\u{200F}\u{61C}",
    // What cannot be seen.
    "zero\u{200B}width\u{200C}\u{200D}\u{2060}\u{FEFF}", "soft\u{AD}hyphen", "tags\u{E0041}\u{E0042}\u{E007F}",
    "filler\u{3164}\u{115F}\u{1160}\u{FFA0}", "selectors\u{FE00}\u{FE0F}\u{E0100}",
    "annotated\u{FFF9}a\u{FFFA}b\u{FFFB}",
    // Marks that climb over their neighbours, and marks on nothing.
    "z" + String(repeating: "\u{300}\u{316}\u{20DD}", count: 200), "\u{301}\u{301}alone",
    "\u{20E3}\u{20DD}", "a\u{34F}\u{34F}\u{302}",
    // Widths on which terminals disagree.
    "👨‍👩‍👧‍👦👩🏽‍🚀🏴‍☠️", "✈️☎️1️⃣#️⃣", "🇩🇪🇩🇪🇩", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "👍🏿👍🏻\u{1F3FD}",
    "ｆｕｌｌ ﾊﾝｶｸ", "ᄀ각가\u{1161}\u{11A8}\u{D7B0}", "㉈䷀\u{A9C5}", "क्षिप्र क्षेत्र", "กำนำ้", "நௌ\u{BBF}", "﷽𒐫𒈙",
    "\u{FFFE}\u{FFFF}\u{10FFFF}\u{E000}",
    // Nothing, and more than enough.
    "", " ", String(repeating: "W", count: 5_000), String(repeating: "漢", count: 3_000),
    String(repeating: "\u{1B}[1;1H", count: 500),
  ]

  /// All of it in one text.
  package static let everything = corpus.filter { $0.utf8.count < 300 }.joined(separator: "|")

  /// Names that would lead out of a directory, or into trouble in it.
  package static let fileNames: [String] = [
    "../../etc/passwd", "..", ".", "", "/etc/passwd", "\\\\host\\share\\x", "..\\..\\x", "a/../../b", "-rf", "--help",
    ".bashrc", " lead", "trail ", "nul\u{0}byte", "line\nbreak", "esc\u{1B}[2J", "rtl\u{202E}gpj.exe", "…/x", "~root",
    String(repeating: "n", count: 4_000), String(repeating: "é", count: 300) + ".pdf", "CON", "a:b", "%2e%2e%2fx",
    "..;/x", "\u{FF0E}\u{FF0E}/x", "x\u{2044}y", ". ", "...", "\u{200B}", "\u{FEFF}..", "a\u{0}/../b",
  ]
}
