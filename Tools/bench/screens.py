"""What is seen and felt in a terminal: first screens, keys, memory, idling."""

import os
import shutil

from table import median, percentile
from terminal import DOWN, PAGE_DOWN, Screen


def installed(programs):
    return [program for program in programs if shutil.which(program[1][0]) and None not in program[1]]


def first_screens(house, table):
    """From exec to the last byte of the first screen; one run of each program in turn."""
    many = {**house.home, "ATRIUM_CONFIG": house.many_connections(20)}
    text, repository = house.text_file(), house.repository()
    ours = [("atrium demo", [house.binary, "demo"], house.home, None),
            ("atrium, 20 connections", [house.binary], many, None)]
    others = [(*program, house.home, folder) for *program, folder in (
        ("ncdu", ["ncdu", "-0", "-f", small_tree(house)], None), ("less", ["less", text], None),
        ("nnn", ["nnn", "/usr/bin"], None), ("mc", ["mc", "-u"], None), ("tig", ["tig"], repository),
        ("lnav", ["lnav", text], None), ("vim", ["vim", "-u", "NONE", text], None)) if shutil.which(program[1][0])]
    if repository is None:
        others = [program for program in others if program[0] != "tig"]
    times = {name: [] for name, *_ in ours + others}
    sizes = {name: [] for name in times}
    for run in range(house.runs + 1):
        for name, command, environment, folder in ours + others:
            screen = Screen(command, environment, folder)
            time = screen.settle()
            memory = screen.memory()
            screen.close()
            if memory is None:
                raise RuntimeError(f"{name} ended instead of showing its screen")
            if run > 0:  # The first run reads programs from the disk.
                times[name].append(time)
                sizes[name].append(memory)
    for name, *_ in ours:
        for other, *_ in others:
            table.add(f"first screen: {name}", "ms", times[name], times[other], other,
                      "≤ 1.5" if other == "ncdu" else "" if other in ("less", "vim") else "< 1",
                      at_most=1.5 if other == "ncdu" else None if other in ("less", "vim") else 1.0)
    return sizes


def small_tree(house):
    path = house.path("small.json")
    with open(path, "w", encoding="ascii") as file:
        file.write('[1,0,{"progname":"bench"},[{"name":"/some"}')
        file.writelines(f',{{"name":"file-{number}","asize":{number},"dsize":4096}}' for number in range(60))
        file.write("]]")
    return path


def browser(house, place, load_all=True):
    """The browser on a list, all its rows loaded, without a preview."""
    screen = Screen([house.binary], house.environment)
    screen.settle()
    screen.type(b":" + place.encode() + b"\r", 0.8)
    screen.type(b"v", 0.3)
    if load_all:
        screen.type(b"L", 1.5, 60)
    return screen


def keys(house, table):
    """A key to the last byte it causes, in a list of all rows, and how many bytes those are."""
    count = 10 if house.quick else 150
    programs = installed([
        ("less", ["less", house.text_file()]), ("vim", ["vim", "-u", "NONE", house.text_file()]),
        ("nnn", ["nnn", "-C", house.folder_of_files()]), ("ncdu", ["ncdu", "-0", "-f", house.ncdu_tree()])])
    screens = [("atrium", browser(house, house.transactions))]
    for name, command in programs:
        screen = Screen(command, house.home)
        screen.quiet(1.0, 30)
        screens.append((name, screen))
    times, moves, pages = ({name: [] for name, _ in screens} for _ in range(3))
    for name, screen in screens:
        for _ in range(45):  # To the end of the page, where some lists begin to scroll.
            screen.press(DOWN, 0.005, 0.05)
    for _ in range(count):
        for name, screen in screens:
            size, milliseconds = screen.press(DOWN)
            if size:
                times[name].append(milliseconds)
    for name, screen in screens:
        screen.type({"ncdu": b"\x1bOH", "vim": b"gg"}.get(name, b"g"), 0.1, 0.5)
        for _ in range(20):
            moves[name].append(screen.press(DOWN)[0])
        for _ in range(10):
            pages[name].append(screen.press(PAGE_DOWN, 0.05)[0])
    for name, _ in screens[1:]:
        table.add(f"key to last byte, {house.rows:,} rows", "ms", times["atrium"], times[name], name,
                  "≤ 1" if name == "nnn" else "", at_most=1.0 if name == "nnn" else None)
    table.add("key to last byte, 99th percentile", "ms", [percentile(times["atrium"], 0.99)],
              [percentile(times[screens[-1][0]], 0.99)], screens[-1][0], "≤ 4 ms", at_most=4, ratio=False)
    for name, _ in screens[1:]:
        if name in ("less", "nnn", "ncdu"):
            table.add("bytes for a cursor move", "B", moves["atrium"], moves[name], name,
                      "≤ 1" if name == "ncdu" else "", at_most=1.0 if name == "ncdu" else None)
            table.add("bytes for a page", "B", pages["atrium"], pages[name], name,
                      "≤ 1" if name == "less" else "", at_most=1.0 if name == "less" else None)
    atrium = screens[0][1]
    atrium.type(b"/", 0.1, 0.5)
    letters = [atrium.press(letter, 0.1, 1)[0] for letter in (b"m", b"a", b"r", b"t")]
    table.add("bytes for a letter of the filter", "B", letters)
    for _, screen in screens:
        screen.close()


def memory(house, table, sizes):
    """After the first screen, the sandbox being another process."""
    ours = []
    for _ in range(house.runs):
        screen = Screen([house.binary], house.environment)
        screen.settle()
        ours.append(screen.memory())
        screen.close()
    for name in ("mc", "vim", "ncdu"):
        if sizes.get(name):
            table.add("memory after the first screen", "MB", ours, sizes[name], name, "≤ 1" if name == "mc" else "",
                      at_most=1.0 if name == "mc" else None)


def idle(house, table):
    """Ten seconds in which nothing happens: after the first screen, and with jobs and open connections behind one."""
    seconds = 2 if house.quick else 10
    screen = Screen([house.binary, "demo"], house.home)
    screen.settle()
    screen.quiet(6 if not house.quick else 1, 6)
    report(table, "idle, first screen", *screen.idle(seconds))
    screen.close()
    screen = Screen([house.binary], house.environment, folder=house.folder)
    screen.settle()
    for place in ("bank:/accounts", "docs:/files", "mobile:/storage", "mfp:/resources"):
        screen.type(b":" + place.encode() + b"\r", 0.5)
    screen.type(b":docs:/files/Shared\r", 0.5)
    screen.type(b"d", 0.5)
    screen.type(b"\r", 0.5, 2)
    screen.type(b"t", 0.5, 2)
    screen.quiet(10 if not house.quick else 1, 10)  # Messages go away by themselves; that is no idling.
    report(table, "idle, jobs and connections", *screen.idle(seconds))
    screen.close()


def report(table, what, wakeups, milliseconds, written):
    table.add(f"{what}: wake-ups", "", [wakeups], goal="0", at_most=0)
    table.add(f"{what}: processor", "ms", [milliseconds])
    table.add(f"{what}: bytes written", "B", [written], goal="0", at_most=0)
