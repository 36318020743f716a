"""The sandbox in a process of its own, and what other programs are given to show."""

import json
import os
import subprocess
import time
import urllib.request


class House:
    """Files, directories and a sandbox for one run of the bench, all below one temporary folder."""

    def __init__(self, binary, folder, quick):
        self.binary, self.folder, self.quick = binary, folder, quick
        self.runs = 2 if quick else 7
        self.rows = 2_000 if quick else 100_000
        self.home = {"HOME": folder, **{f"XDG_{name}_HOME": os.path.join(folder, name.lower())
                                        for name in ("CONFIG", "STATE", "CACHE", "DATA")}}
        for path in self.home.values():
            os.makedirs(path, exist_ok=True)  # nnn wants them to be there.
        self.config = os.path.join(folder, "config.yaml")
        self.sandbox = subprocess.Popen(
            [binary, "sandbox", "--port", "0", "--transactions", str(self.rows), "--print-config", self.config],
            stdout=subprocess.PIPE, text=True, env={**os.environ, **self.home, "TMPDIR": room(folder)})
        self.address = self.sandbox.stdout.readline().split()[-1]
        self.environment = {**self.home, "ATRIUM_CONFIG": self.config}
        first = json.loads(self.atrium("ls", "bank:/accounts", "--limit", "1", "--format", "ndjson").splitlines()[0])
        self.account = first["location"]
        self.transactions = self.account + "/transactions"

    def path(self, name):
        return os.path.join(self.folder, name)

    def atrium(self, *words):
        return subprocess.run([self.binary, *words], env={**os.environ, **self.environment}, check=True,
                              capture_output=True, text=True).stdout

    def setting(self, name, kind="openbank"):
        """A setting of the connection of that kind."""
        with open(self.config, encoding="utf-8") as file:
            text = file.read().split(f"kind: {kind}\n", 1)[1].split("\n  - name:", 1)[0]
        line = next(line for line in text.splitlines() if line.strip().startswith(name + ":"))
        return line.split(": ", 1)[1].strip().strip('"')

    def token(self):
        """A token of the bank, as curl needs it."""
        credentials = (f'username="{self.setting("user")}", password="{self.setting("password")}", '
                       f'consumer_key="{self.setting("consumerKey")}"')
        request = urllib.request.Request(self.address + "/my/logins/direct", method="POST", data=b"",
                                         headers={"DirectLogin": credentials})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["token"]

    def text_file(self):
        """A line for each row."""
        path = self.path("rows.txt")
        if not os.path.exists(path):
            with open(path, "w", encoding="ascii") as file:
                file.writelines(f"row {index:06} some words to fill the line with\n" for index in range(self.rows))
        return path

    def folder_of_files(self):
        """A file for each row."""
        path = self.path("many")
        if not os.path.exists(path):
            os.mkdir(path)
            for index in range(self.rows):
                os.close(os.open(os.path.join(path, f"row-{index:06}-some-words"), os.O_CREAT | os.O_WRONLY))
        return path

    def ncdu_tree(self):
        """The same as ncdu's own export, which is loaded without looking at any disk."""
        path = self.path("tree.json")
        if not os.path.exists(path):
            files = [{"name": f"row-{index:06}-some-words", "asize": index, "dsize": 4096} for index in range(self.rows)]
            with open(path, "w", encoding="ascii") as file:
                json.dump([1, 0, {"progname": "bench"}, [{"name": "/many"}, *files]], file)
        return path

    def repository(self):
        """A history for tig; None without git."""
        path = self.path("repository")
        if os.path.exists(path):
            return path
        steps = [["init", "-q", path]] + [
            ["-C", path, "-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "-q", "--allow-empty",
             "-m", f"Change {number}"] for number in range(60)]
        try:
            for step in steps:
                subprocess.run(["git", *step], check=True, env={**os.environ, **self.home}, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        return path

    def many_connections(self, count):
        """A configuration with so many connections."""
        path = self.path("many.yaml")
        with open(path, "w", encoding="ascii") as file:
            file.write("connections:\n")
            for number in range(count):
                file.write(f"  - name: bank{number}\n    kind: openbank\n    url: https://bank{number}.example.org/obp/v5.1.0\n"
                           "    auth: { method: direct, consumerKey: none, user: ada }\n")
        return path

    def close(self):
        self.sandbox.terminate()
        self.sandbox.wait(10)


def room(folder):
    """Where large files go: memory, where there is enough of it, so that no disk is measured."""
    try:
        free = os.statvfs("/dev/shm")
        return "/dev/shm" if free.f_bavail * free.f_frsize > 6 << 30 else folder
    except OSError:
        return folder


def seconds(command, environment=None, **options):
    """Wall seconds of a command, and its largest memory in megabytes."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env={**os.environ, **(environment or {})}, **options)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    elapsed = time.perf_counter() - start
    if process.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {process.returncode}: {errors.decode(errors='replace').strip()}")
    return elapsed, usage.ru_maxrss / 1024
