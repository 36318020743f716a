"""What atrium-bench measures from inside, and what other programs need for the same rows."""

import math
import os
import shutil
import subprocess

from house import seconds
from table import median
from terminal import Screen


def figures(bench, *parts, quick):
    """By name: the runs."""
    command = [bench, *parts] + (["--quick"] if quick else [])
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [line.split("\t") for line in output.splitlines()]
    return {name: [float(value) for value in values] for name, *values in lines}


def decoding(bench, table, quick):
    found = figures(bench, "decode", quick=quick)
    rows = found["decode.rows us"]
    table.add("a page of 500 transactions to rows", "µs", found["decode.JSONDecoder us"], rows, "JSONDecoder ÷ rows:", "≥ 12",
              at_least=12)
    table.add("a page of 500 transactions to rows", "µs", rows, found["decode.simdjson us"], "simdjson's parse", "≤ 3", at_most=3)
    table.add("our parse of that page alone", "µs", found["decode.parse us"], found["decode.simdjson us"], "simdjson's parse")


def store(bench, table, quick):
    found = figures(bench, "store", quick=quick)
    table.add("unlock to first rows, scrypt aside", "ms", thousandth(found["store.firstRow us"]), goal="≤ 20", at_most=20)
    table.add("scrypt", "ms", thousandth(found["store.scrypt us"]))
    table.add("100,000 encrypted rows searched", "ms", thousandth(found["store.search us"]), goal="≤ 150", at_most=150)
    table.add("100,000 encrypted rows sorted", "ms", thousandth(found["store.sorted us"]))


def thousandth(values):
    return [value / 1000 for value in values]


GOALS = {"memory B/row": 200, "filter ms": 100, "sortText ms": 400, "sortAmount ms": 400, "jump ms": 16}
WORDS = {"memory B/row": "memory of a row", "load ms": "load", "filter ms": "filter, one letter", "narrow ms": "filter, two more",
         "sortText ms": "sort by text", "sortAmount ms": "sort by amount", "jump ms": "jump to the end", "move ms": "cursor move"}


def lists(bench, table, quick, folder):
    """How cost grows with the rows; the slope is that of the two largest sizes, 1 being linear."""
    found = figures(bench, "lists", quick=quick)
    sizes = sorted({int(name.split(".")[1]) for name in found})
    top = sizes[-1]
    for kind, words in WORDS.items():
        name, unit = kind.split(" ")
        runs = found[f"list.{top}.{kind}"]
        goal = GOALS.get(kind) if top == 1_000_000 else None
        table.add(f"{top:,} rows: {words}", unit, runs, goal=f"≤ {goal}" if goal else None, at_most=goal)
        if len(sizes) > 1 and unit == "ms":
            medians = [median(found[f"list.{size}.{kind}"]) for size in sizes]
            slope = math.log10(max(medians[-1], 1e-4) / max(medians[-2], 1e-4)) / math.log10(sizes[-1] / sizes[-2])
            grown = ", ".join(f"{value:.2f}" for value in medians)
            table.note(f"growth 10³…10⁶: {words}", f"{grown} ms; slope {slope:.2f}")
    if not quick:
        beside_others(table, folder, top)


def beside_others(table, folder, rows):
    """lnav and visidata on as many rows as CSV: how long until they show, what they hold, a jump to the end."""
    path = os.path.join(folder, "rows.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write("id,completed,description,counterparty,amount,currency,balance,type\n")
        for index in range(rows):
            file.write(f"tx-{index * 2654435761 % 4294967296:x}-{index},2026-11-30T09:{index % 60:02}:00Z,Groceries {index % 9973},"
                       f"Green Market,{index % 9000}.50,EUR,{index % 50000}.00,SEPA\n")
    for name, command, last in (("lnav", ["lnav", "-N", path], b"G"), ("visidata", ["vd", path], b"G")):
        if not shutil.which(command[0]):
            continue
        screen = Screen(command, {"HOME": folder})
        _, settled = screen.quiet(3.0, 60)
        size = screen.memory() * 1e6 / rows
        _, milliseconds = screen.press(last, 0.3, 10)
        table.note(f"{rows:,} rows in {name}", f"{size:.0f} B a row, shown after {settled - screen.started:.1f} s, "
                   f"jump to the end {milliseconds:.0f} ms")
        screen.close()
