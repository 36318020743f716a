#!/usr/bin/env python3
"""Measures the release build from outside, beside other programs that do the same, in one run on the same data.

usage: bench.py BINARY [--quick]

Prints one table; a figure is the median of its runs with the spread behind it. Programs that are not installed are left
out and named. Nothing here fails for being slow: what is printed is what was measured.
"""

import fcntl
import json
import os
import pty
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
import urllib.request

COLUMNS, ROWS = 120, 40


class Screen:
    """A program in a pseudo-terminal of 120x40."""

    def __init__(self, command, environment=None):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update({"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **(environment or {})})
            os.execvp(command[0], command)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def read_until_quiet(self, quiet, limit):
        """All output until nothing comes for `quiet` seconds: the bytes and when the last of them came."""
        start = last = time.perf_counter()
        data = b""
        while time.perf_counter() - start < limit:
            ready, _, _ = select.select([self.fd], [], [], quiet)
            if not ready:
                break
            try:
                piece = os.read(self.fd, 1 << 16)
            except OSError:
                break
            if not piece:
                break
            data += piece
            last = time.perf_counter()
        return data, last

    def press(self, keys):
        start = time.perf_counter()
        os.write(self.fd, keys)
        data, last = self.read_until_quiet(0.03, 5)
        return len(data), (last - start) * 1000 if data else 0.0

    def memory(self):
        with open(f"/proc/{self.pid}/status") as status:
            return int(next(line.split()[1] for line in status if line.startswith("VmRSS"))) / 1024

    def switches(self):
        total = 0
        for task in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{task}/status") as status:
                total += int(next(line.split()[1] for line in status if line.startswith("voluntary")))
        return total

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def spread(values):
    values = sorted(values)
    return f"{statistics.median(values):8.2f}  ({values[0]:.2f} … {values[-1]:.2f})"


def screens(name, command, runs, environment, opening=b""):
    """One row: first paint, a cursor move, a page, memory, wake-ups; `opening` is typed before the moves."""
    paints, moves, times, pages = [], [], [], []
    memory = idle = 0
    for _ in range(runs):
        start = time.perf_counter()
        screen = Screen(command, environment)
        _, last = screen.read_until_quiet(0.25, 20)
        paints.append((last - start) * 1000)
        if opening:
            os.write(screen.fd, opening)
            screen.read_until_quiet(1.5, 20)
        for _ in range(20):
            size, milliseconds = screen.press(b"\x1b[B")
            moves.append(size)
            times.append(milliseconds)
        pages.append(screen.press(b"\x1b[6~")[0])
        screen.read_until_quiet(0.5, 5)
        memory = screen.memory()
        before = screen.switches()
        time.sleep(1)
        idle = screen.switches() - before
        screen.close()
    print(f"{name:34} paint ms {spread(paints)}   key ms {spread(times)}   move B {statistics.median(moves):5.0f}"
          f"   page B {statistics.median(pages):5.0f}   MB {memory:5.1f}   wake-ups/s {idle}")


def timed(command, runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        times.append((time.perf_counter() - start) * 1000)
    return times


class Sandbox:
    """The sandbox in a process of its own, and a configuration for it."""

    def __init__(self, binary, rows, folder):
        self.config = os.path.join(folder, "config.yaml")
        self.process = subprocess.Popen([binary, "sandbox", "--port", "0", "--transactions", str(rows),
                                         "--print-config", self.config], stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().split()[-1]
        self.environment = {"ATRIUM_CONFIG": self.config}

    def setting(self, name):
        """The first value of a setting in the configuration; the bank comes first in it."""
        with open(self.config, encoding="utf-8") as file:
            return next(line.split(": ", 1)[1].strip().strip('"') for line in file if line.strip().startswith(name + ":"))

    def token(self):
        credentials = (f'username="{self.setting("user")}", password="{self.setting("password")}", '
                       f'consumer_key="{self.setting("consumerKey")}"')
        request = urllib.request.Request(self.address + "/my/logins/direct", method="POST", data=b"",
                                         headers={"DirectLogin": credentials})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["token"]

    def close(self):
        self.process.terminate()
        self.process.wait(10)


def listing(binary, sandbox, place, runs, rows, folder):
    """All rows of a large listing, against curl fetching the same pages over one connection."""
    os.environ.update(sandbox.environment)
    trace = os.path.join(folder, "trace.har")
    command = [binary, "ls", place, "--all", "--format", "ndjson"]
    subprocess.run([*command, "--trace", trace], stdout=subprocess.DEVNULL, check=True)
    with open(trace, encoding="utf-8") as file:
        requests = [entry["request"]["url"] for entry in json.load(file)["log"]["entries"]]
    pages = [url for url in requests if "/transactions" in url]
    urls = os.path.join(folder, "urls.txt")
    with open(urls, "w", encoding="utf-8") as file:
        file.writelines(f'url = "{url}"\noutput = "/dev/null"\n' for url in pages)
    curl = ["curl", "-s", "-H", f"DirectLogin: token={sandbox.token()}", "-K", urls]
    ours, theirs = [], []
    for _ in range(runs):
        ours += timed(command, 1)
        theirs += timed(curl, 1)
    ratio = statistics.median(ours) / statistics.median(theirs)
    print(f"{'ls --all, ' + str(rows) + ' transactions':34} ms {spread(ours)}   curl ms {spread(theirs)}"
          f"   ratio {ratio:.2f}   {len(pages)} pages")


def main():
    binary = os.path.abspath(sys.argv[1])
    quick = "--quick" in sys.argv
    runs = 2 if quick else 7
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "rows.txt")
        with open(text, "w") as file:
            file.writelines(f"row {index:06} some words to fill the line with\n" for index in range(100_000))
        home = {"HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_STATE_HOME": folder, "XDG_CACHE_HOME": folder}
        others = [("less", ["less", text]), ("ncdu", ["ncdu", "-0", "/usr/share"]), ("nnn", ["nnn", "/usr/bin"]),
                  ("mc", ["mc"]), ("vim", ["vim", "-u", "NONE", text])]
        screens("atrium demo", [binary, "demo"], runs, home)
        rows = 2_000 if quick else 100_000
        sandbox = Sandbox(binary, rows, folder)
        try:
            found = subprocess.run([binary, "ls", "bank:/accounts", "--limit", "1", "--format", "ndjson"], text=True,
                                   env={**os.environ, **home, **sandbox.environment}, capture_output=True, check=True)
            place = json.loads(found.stdout)["location"] + "/transactions"
            screens("atrium, a list of transactions", [binary], runs, {**home, **sandbox.environment},
                    b":" + place.encode() + b"\r")
            for name, command in others:
                if shutil.which(command[0]):
                    screens(name, command, runs, home)
                else:
                    print(f"{name:34} not installed")
            listing(binary, sandbox, place, 2 if quick else 5, rows, folder)
        finally:
            sandbox.close()


if __name__ == "__main__":
    main()
