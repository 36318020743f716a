"""A slow link: a proxy on loopback that delays both directions, lets a megabit through and counts.

Opening a connection costs a round trip there as on a real link, although loopback itself answers at once: the first
bytes of a connection wait for one.
"""

import collections
import os
import selectors
import socket
import threading
import time

from terminal import Screen

ROUND_TRIP = 0.1
BYTES_PER_SECOND = 125_000


class Link:
    """Serves until closed, in a thread of its own."""

    def __init__(self, address):
        self.far = address
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ, None)
        self.waiting = collections.deque()  # (due, socket, bytes), in order of due for each direction
        self.ready = {"up": 0.0, "down": 0.0}  # When the line is free again.
        self.opened = self.trips = self.received = 0
        self.isOpen = True
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def reset(self):
        self.opened = self.trips = self.received = 0

    def serve(self):
        while self.isOpen:
            now = time.perf_counter()
            due = sorted(self.waiting, key=lambda piece: piece[0])
            for piece in [piece for piece in due if piece[0] <= now]:
                self.waiting.remove(piece)
                self.deliver(piece[1], piece[2])
            upcoming = min((piece[0] for piece in self.waiting), default=now + 0.05)
            for key, _ in self.selector.select(max(0.0, upcoming - now)):
                self.accept() if key.data is None else self.read(key.fileobj, key.data)

    def accept(self):
        near, _ = self.listener.accept()
        far = socket.create_connection(self.far)
        for side in (near, far):
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Who answers counts as a round trip only when it was asked in between.
        state = {"until": time.perf_counter() + ROUND_TRIP, "answered": True}
        self.selector.register(near, selectors.EVENT_READ, ("up", far, state))
        self.selector.register(far, selectors.EVENT_READ, ("down", near, state))
        self.opened += 1
        self.trips += 1

    def read(self, side, data):
        direction, other, state = data
        try:
            piece = side.recv(1 << 14)
        except OSError:
            piece = b""
        now = time.perf_counter()
        if direction == "up" and piece and state["answered"]:
            self.trips += 1
            state["answered"] = False
        if direction == "down" and piece:
            state["answered"] = True
            self.received += len(piece)
        begin = max(now, self.ready[direction], state["until"] if direction == "up" else 0)
        self.ready[direction] = begin + len(piece) / BYTES_PER_SECOND
        self.waiting.append((self.ready[direction] + ROUND_TRIP / 2, other, piece))
        if not piece:
            self.selector.unregister(side)

    @staticmethod
    def deliver(side, piece):
        try:
            side.sendall(piece) if piece else side.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # Somebody left.

    def close(self):
        self.isOpen = False
        self.thread.join()
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()


def first_rows(house, table):
    """From Enter on a location to its first 50 rows: sign-in, then the page, over the link."""
    host, port = house.address.removeprefix("http://").split(":")
    link = Link((host, int(port)))
    config = house.path("link.yaml")
    with open(house.config, encoding="utf-8") as file:
        text = file.read().replace(f"{host}:{port}", f"127.0.0.1:{link.port}")
    with open(config, "w", encoding="utf-8") as file:
        file.write(text)
    times, trips, floors = [], [], []
    try:
        for _ in range(2 if house.quick else 5):
            screen = Screen([house.binary], {**house.environment, "ATRIUM_CONFIG": config})
            screen.settle()
            os.write(screen.fd, b":" + house.transactions.encode())
            screen.quiet(0.3, 2)
            link.reset()
            start = time.perf_counter()
            os.write(screen.fd, b"\r")
            # A spinner turns while something is awaited: the rows are there when it rests.
            _, last = screen.quiet(0.4, 20)
            times.append((last - start) * 1000)
            trips.append(link.trips)
            floors.append(3 * ROUND_TRIP * 1000 + link.received / BYTES_PER_SECOND * 1000)
            screen.close()
    finally:
        link.close()
    table.add("first 50 rows over 100 ms and 1 Mbit/s: round trips", "", trips, goal="3: connect, sign in, list", at_most=3)
    table.add("first 50 rows over 100 ms and 1 Mbit/s: time", "ms", times, floors, "3 round trips and the bytes", "≤ 1.1",
              at_most=1.1)
