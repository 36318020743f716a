#!/usr/bin/env python3
"""Measures the release build beside other programs that do the same, in one run on the same data.

usage: python3 Tools/bench ATRIUM ATRIUM-BENCH [--quick] [PART…]

Prints one table: medians with their ranges, ratios, goals. Runs of what is compared take turns, so that whatever else the
machine does hits both. Programs that are not installed are left out. Nothing fails for being slow: only a bench that is
broken does. Parts: screens, wire, inside, link.
"""

import os
import platform
import sys
import tempfile
import time

import inside
import link
import screens
import wire
from house import House
from table import Table


def main():
    quick = "--quick" in sys.argv
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    binary, bench = (os.path.abspath(word) for word in words[:2])
    parts = words[2:] or ["wire", "screens", "inside", "link"]
    table, start = Table(), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        house = House(binary, folder, quick)
        try:
            if "wire" in parts:
                wire.sandbox(house, table)
                wire.listing(house, table)
                wire.transfers(house, table)
                wire.size(binary, table)
            if "screens" in parts:
                sizes = screens.first_screens(house, table)
                screens.memory(house, table, sizes)
                screens.keys(house, table)
                screens.idle(house, table)
            if "link" in parts:
                link.first_rows(house, table)
        finally:
            house.close()
        if "inside" in parts:
            inside.decoding(bench, table, quick)
            inside.store(bench, table, quick)
            inside.lists(bench, table, quick, folder)
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown")
    print(f"{model}, {os.cpu_count()} cores, Linux {platform.release().split('-')[0]}, load {os.getloadavg()[0]:.1f}, "
          f"{time.strftime('%Y-%m-%d', time.gmtime())}, {time.perf_counter() - start:.0f} s\n")
    table.print()


if __name__ == "__main__":
    main()
