#!/usr/bin/env python3
"""Draws screenshots/*.svg from the running program in a real terminal.

usage: screenshots.py BINARY DIRECTORY [NAME ...]

Each scene of Tools/scenes.txt starts `atrium demo` in tmux, presses its keys, waits for the text it names and turns the
cells that tmux holds into an SVG. Needs tmux and python3, nothing else.
"""

import os
import re
import subprocess
import sys
import time
import unicodedata
from xml.sax.saxutils import escape

CELL_WIDTH, CELL_HEIGHT, BASELINE, PADDING = 8.4, 18, 13.5, 12
SIXTEEN = ["#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5",
           "#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff"]


class Terminal:
    """The program in a tmux server of its own, at a given size."""

    def __init__(self, columns, rows, command, environment):
        self.socket = f"atrium-screenshots-{os.getpid()}"
        variables = [f"{name}={value}" for name, value in environment.items()]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), "env", *variables, *command)

    def tmux(self, *words):
        run = subprocess.run(["tmux", "-L", self.socket, *words], capture_output=True, text=True)
        return run.stdout

    def send(self, key):
        if key.startswith('"'):
            self.tmux("send-keys", "-l", "--", key[1:-1])
        else:
            self.tmux("send-keys", key)

    def text(self, styled=False):
        return self.tmux("capture-pane", "-p", *(["-e", "-N"] if styled else []))

    def wait_for(self, wanted, seconds=15):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if re.search(wanted, self.text()):
                return
            time.sleep(0.05)
        raise SystemExit(f"screenshots: “{wanted}” did not appear; the screen shows:\n{self.text()}")

    def settled(self):
        """The styled text once it stops changing."""
        before = None
        for _ in range(60):
            now = self.text(styled=True)
            if now == before:
                return now
            before = now
            time.sleep(0.15)
        return before

    def close(self):
        self.tmux("kill-server")


def color(codes, position):
    """The colour that starts at codes[position] (38;5;n or 38;2;r;g;b) and how many codes it took."""
    if codes[position + 1] == 5:
        number = codes[position + 2]
        if number < 16:
            return SIXTEEN[number], 3
        if number >= 232:
            return "#" + f"{8 + 10 * (number - 232):02x}" * 3, 3
        steps = [0, 95, 135, 175, 215, 255]
        number -= 16
        return "#%02x%02x%02x" % (steps[number // 36], steps[number // 6 % 6], steps[number % 6]), 3
    return "#%02x%02x%02x" % tuple(codes[position + 2:position + 5]), 5


def applied(style, codes):
    """A style after one SGR sequence."""
    style = dict(style)
    position = 0
    while position < len(codes):
        code = codes[position]
        step = 1
        if code == 0:
            style = {}
        elif code in (1, 2, 3, 4, 7):
            style[{1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse"}[code]] = True
        elif code == 22:
            style.pop("bold", None), style.pop("dim", None)
        elif code in (23, 24, 27):
            style.pop({23: "italic", 24: "underline", 27: "reverse"}[code], None)
        elif code in (38, 48):
            value, step = color(codes, position)
            style["fg" if code == 38 else "bg"] = value
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style["fg"] = SIXTEEN[code - 30 if code < 90 else code - 82]
        elif 40 <= code <= 47 or 100 <= code <= 107:
            style["bg"] = SIXTEEN[code - 40 if code < 100 else code - 92]
        elif code in (39, 49):
            style.pop("fg" if code == 39 else "bg", None)
        position += step
    return style


def runs(line, style):
    """Pieces of a line that look alike: (column, columns, text, style); and the style at its end."""
    pieces, column = [], 0
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b"):
            style = applied(style, [int(code or 0) for code in part[2:-1].split(";")])
            continue
        for character in part:
            if unicodedata.combining(character):
                if pieces:
                    last = pieces[-1]
                    pieces[-1] = (last[0], last[1], last[2] + character, last[3])
                continue
            width = 2 if unicodedata.east_asian_width(character) in "WF" else 1
            plain = width == 1 and character.isascii()
            last = pieces[-1] if pieces else None
            if plain and last and last[3] == style and last[2].isascii() and last[0] + last[1] == column:
                pieces[-1] = (last[0], last[1] + 1, last[2] + character, style)
            else:
                pieces.append((column, width, character, style))
            column += width
    return pieces, style


def svg(screen, columns, rows, background, foreground):
    width = columns * CELL_WIDTH + 2 * PADDING
    height = rows * CELL_HEIGHT + 2 * PADDING
    shapes, texts, style = [], [], {}
    for row, line in enumerate(screen.split("\n")[:rows]):
        pieces, style = runs(line, style)
        top = PADDING + row * CELL_HEIGHT
        for column, cells, text, look in pieces:
            fg, bg = look.get("fg", foreground), look.get("bg", background)
            if look.get("reverse"):
                fg, bg = bg, fg
            left, span = PADDING + column * CELL_WIDTH, cells * CELL_WIDTH
            if bg != background:
                shapes.append(f'<rect x="{left:.1f}" y="{top}" width="{span + 0.3:.1f}" height="{CELL_HEIGHT}" fill="{bg}"/>')
            if text.strip():
                extra = ""
                if look.get("bold"):
                    extra += ' font-weight="bold"'
                if look.get("italic"):
                    extra += ' font-style="italic"'
                if look.get("underline"):
                    extra += ' text-decoration="underline"'
                if look.get("dim"):
                    extra += ' opacity="0.7"'
                texts.append(f'<text x="{left:.1f}" y="{top + BASELINE}" textLength="{span:.1f}" '
                             f'lengthAdjust="spacingAndGlyphs" xml:space="preserve" fill="{fg}"{extra}>{escape(text)}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.1f} {height:.1f}" font-family="\'DejaVu Sans Mono\', \'Noto Sans Mono CJK JP\', monospace" '
            f'font-size="14">\n<rect width="100%" height="100%" rx="8" fill="{background}"/>\n'
            + "\n".join(shapes + texts) + "\n</svg>\n")


def scenes(path):
    """(name, columns, rows, arguments, steps) of each scene; a step is a key, or ("wait", pattern)."""
    found = []
    for line in open(path, encoding="utf-8"):
        line = line.strip()
        if line.startswith("scene "):
            name, size, *arguments = line.split()[1:]
            columns, rows = map(int, size.split("x"))
            found.append((name, columns, rows, arguments, []))
        elif line.startswith("wait "):
            found[-1][4].append(("wait", line[5:]))
        elif line.startswith("keys "):
            found[-1][4].extend(re.findall(r'"[^"]*"|\S+', line[5:]))
    return found


def main():
    binary, directory, *wanted = sys.argv[1:]
    os.makedirs(directory, exist_ok=True)
    here = os.path.dirname(os.path.abspath(__file__))
    for name, columns, rows, arguments, steps in scenes(os.path.join(here, "scenes.txt")):
        if wanted and name not in wanted:
            continue
        environment = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent",
                       "XDG_CONFIG_HOME": "/nonexistent", "TZ": "UTC"}
        terminal = Terminal(columns, rows, [os.path.abspath(binary), *arguments], environment)
        try:
            for step in steps:
                if isinstance(step, tuple):
                    terminal.wait_for(step[1])
                else:
                    terminal.send(step)
            screen = terminal.settled()
        finally:
            terminal.close()
        light = "dawn" in arguments
        picture = svg(screen, columns, rows, "#faf7f0" if light else "#1b1d2b", "#2b2f3f" if light else "#c8d0e8")
        with open(os.path.join(directory, name + ".svg"), "w", encoding="utf-8") as file:
            file.write(picture)
        print(f"{directory}/{name}.svg")


if __name__ == "__main__":
    main()
