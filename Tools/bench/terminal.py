"""A program in a pseudo-terminal, watched from outside."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

COLUMNS, ROWS = 120, 40
DOWN, PAGE_DOWN = b"j", b"\x1b[6~"


class Screen:
    """Starts the program at once; `started` is the moment before."""

    def __init__(self, command, environment=None, folder=None):
        self.started = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
            variables = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **(environment or {})}
            if folder:
                os.chdir(folder)
            try:
                os.execvpe(command[0], command, variables)
            finally:
                os._exit(127)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def quiet(self, gap, limit=20.0):
        """Reads until nothing comes for `gap` seconds after the first byte.

        Returns the bytes and the moment of the last of them; no bytes where none came within `limit`.
        """
        end = time.perf_counter() + limit
        last, data = None, b""
        while True:
            now = time.perf_counter()
            wait = min(end - now, gap - (now - last) if last else limit)
            if wait <= 0:
                return data, last or now
            ready, _, _ = select.select([self.fd], [], [], wait)
            if not ready:
                continue
            try:
                piece = os.read(self.fd, 1 << 16)
            except OSError:
                return data, last or now
            if not piece:
                return data, last or now
            data += piece
            last = time.perf_counter()

    def settle(self, gap=0.25):
        """Milliseconds from the start to the last byte of the first screen."""
        _, last = self.quiet(gap)
        return (last - self.started) * 1000

    def press(self, keys, gap=0.02, limit=0.5):
        """Bytes written in answer, and milliseconds until the last of them."""
        start = time.perf_counter()
        os.write(self.fd, keys)
        data, last = self.quiet(gap, limit)
        return len(data), (last - start) * 1000

    def type(self, keys, gap=0.3, limit=20.0):
        os.write(self.fd, keys)
        return self.quiet(gap, limit)

    def memory(self):
        """Resident megabytes; None when the program has ended."""
        with open(f"/proc/{self.pid}/status", encoding="ascii") as status:
            size = next((line.split()[1] for line in status if line.startswith("VmRSS")), None)
            return int(size) / 1024 if size else None

    def wakeups(self):
        """Voluntary context switches of all threads that are there, and processor time in milliseconds."""
        switches, nanoseconds = 0, 0
        for task in os.listdir(f"/proc/{self.pid}/task"):
            try:
                with open(f"/proc/{self.pid}/task/{task}/status", encoding="ascii") as status:
                    switches += int(next(line.split()[1] for line in status if line.startswith("voluntary")))
                with open(f"/proc/{self.pid}/task/{task}/schedstat", encoding="ascii") as times:
                    nanoseconds += int(times.read().split()[0])
            except FileNotFoundError:
                pass  # A thread that has just ended.
        return switches, nanoseconds / 1e6

    def idle(self, seconds):
        """Wake-ups, processor milliseconds and bytes written while nothing happens."""
        before = self.wakeups()
        end, written = time.perf_counter() + seconds, 0
        while (left := end - time.perf_counter()) > 0:
            ready, _, _ = select.select([self.fd], [], [], left)
            if ready:
                written += len(os.read(self.fd, 1 << 16))
        after = self.wakeups()
        return max(0, after[0] - before[0]), max(0.0, after[1] - before[1]), written

    def close(self):
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(self.pid, 0)
        os.close(self.fd)
