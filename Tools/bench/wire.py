"""Listings and transfers over loopback, beside curl doing the same."""

import json
import os
import subprocess

from house import room, seconds
from table import median


def sandbox(house, table):
    """The other side first: what is measured must not be the sandbox."""
    count = 200 if house.quick else 5_000
    url = f"{house.address}/obp/v5.1.0/root"
    rates = []
    for _ in range(house.runs):
        # Several processes with one connection each: one curl is slower than the sandbox.
        clients = [subprocess.Popen(["curl", "-s", "-o", "/dev/null", f"{url}?n=[1-{count}]"]) for _ in range(3)]
        elapsed, _ = seconds(["curl", "-s", "-o", "/dev/null", f"{url}?n=[1-{count}]"])
        for client in clients:
            client.wait()
        rates.append(4 * count / elapsed)
    table.add("sandbox: small answers", "1/s", rates, goal="≥ 5,000", at_least=5_000)


def listing(house, table):
    """All rows of a listing; curl fetches the same pages, over one connection as we do."""
    command = [house.binary, "ls", house.transactions, "--all", "--format", "ndjson"]
    trace = house.path("trace.har")
    seconds([*command, "--trace", trace], house.environment)
    with open(trace, encoding="utf-8") as file:
        pages = [entry["request"]["url"] for entry in json.load(file)["log"]["entries"]
                 if "/transactions" in entry["request"]["url"]]
    urls = house.path("urls.txt")
    with open(urls, "w", encoding="utf-8") as file:
        file.writelines(f'url = "{url}"\noutput = "/dev/null"\n' for url in pages)
    curl = ["curl", "-s", "-H", f"DirectLogin: token={house.token()}", "-K", urls]
    ours, theirs = [], []
    for _ in range(house.runs):
        ours.append(seconds(command, house.environment)[0])
        theirs.append(seconds(curl)[0])
    table.add(f"ls --all of {house.rows:,} transactions, {len(pages)} pages", "s", ours, theirs, "curl", "≤ 1.3", at_most=1.3)


def transfers(house, table):
    """A large file up and down, at the documents' server."""
    size = (1 << 20) if house.quick else (1 << 30)
    folder = os.path.join(room(house.folder), f"atrium-bench-{os.getpid()}")
    os.makedirs(folder)
    try:
        source, target = os.path.join(folder, "large.bin"), os.path.join(folder, "copy.bin")
        with open(source, "wb") as file:
            block = os.urandom(1 << 20)
            for _ in range(size >> 20):
                file.write(block)
        move(house, table, size, source, target)
    finally:
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        os.rmdir(folder)


def move(house, table, size, source, target):
    login = f'{house.setting("user", "alfresco")}:{house.setting("password", "alfresco")}'
    nodes = f"{house.address}/alfresco/api/-default-/public/alfresco/versions/1/nodes"
    shared = json.loads(house.atrium("show", "docs:/files/Shared", "--format", "json"))["fields"]["id"]
    up = ["curl", "-sS", "-f", "-u", login, "-F", f"filedata=@{source}", "-F", "overwrite=true", "-F", "name=large.bin",
          f"{nodes}/{shared}/children"]
    ups, downs, copies = {"atrium": [], "curl": []}, {"atrium": [], "curl": []}, []
    peaks = []
    for _ in range(2 if house.quick else 3):
        elapsed, _ = seconds(up)
        ups["curl"].append(size / elapsed / 1e6)
        elapsed, peak = seconds([house.binary, "put", source, "docs:/files/Shared/large.bin"], house.environment)
        ups["atrium"].append(size / elapsed / 1e6)
        peaks.append(peak)
        identifier = json.loads(house.atrium("show", "docs:/files/Shared/large.bin", "--format", "json"))["fields"]["id"]
        address = f"{nodes}/{identifier}/content"
        for sink in ("/dev/null", target):
            elapsed, _ = seconds(["curl", "-sS", "-f", "-u", login, "-o", sink, address])
            (copies if sink == "/dev/null" else downs["curl"]).append(size / elapsed / 1e6)
        os.unlink(target)
        elapsed, peak = seconds([house.binary, "get", "docs:/files/Shared/large.bin", "-o", target], house.environment)
        downs["atrium"].append(size / elapsed / 1e6)
        peaks.append(peak)
        os.unlink(target)
    table.add("sandbox: payload", "MB/s", copies, goal="≥ 1,000", at_least=1_000)
    what = f"{size >> 20:,} MiB"
    table.add(f"{what} down", "MB/s", downs["atrium"], downs["curl"], "curl", "≥ 0.95", at_least=0.95)
    table.add(f"{what} up", "MB/s", ups["atrium"], ups["curl"], "curl", "≥ 0.95", at_least=0.95)
    small = house.path("small.bin")
    with open(small, "wb") as file:
        file.write(b"x" * (1 << 16))
    _, least = seconds([house.binary, "put", small, "docs:/files/Shared/small.bin"], house.environment)
    table.add(f"memory for {what}, over that for 64 KiB", "MB", [max(0.0, peak - least) for peak in peaks],
              goal="≤ 8 MB", at_most=8)


def size(binary, table):
    """The program as it is installed, without symbols."""
    stripped = binary + ".stripped"
    subprocess.run(["strip", "-o", stripped, binary], check=True)
    table.add("the program, stripped", "MB", [os.path.getsize(stripped) / 1e6], goal="≤ 25", at_most=25)
    os.unlink(stripped)
