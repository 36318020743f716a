"""One table of figures: what was measured, beside what, and the ratio that counts."""

import statistics
import sys


def median(values):
    return statistics.median(values)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def figure(value):
    """Three significant digits, and no more than two behind the point."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def spread(values):
    """The median with the range behind it."""
    if len(values) < 2:
        return figure(values[0])
    return f"{figure(median(values))} ({figure(min(values))}…{figure(max(values))})"


class Table:
    """Rows as they come; printed as one Markdown table at the end."""

    heads = ("what", "unit", "atrium", "beside", "ratio", "goal", "met")

    def __init__(self):
        self.rows = []

    def add(self, what, unit, ours, beside=None, name="", goal=None, at_most=None, at_least=None, ratio=True):
        """Adds a row.

        ours and beside are the runs; `at_most` and `at_least` bound the ratio, or the median where there is no ratio.
        """
        counted = median(ours)
        quotient = None
        if beside and ratio and median(beside) > 0:
            quotient = counted / median(beside)
        judged = quotient if quotient is not None else counted
        met = ""
        if at_most is not None or at_least is not None:
            met = "yes" if (at_most is None or judged <= at_most) and (at_least is None or judged >= at_least) else "no"
        other = f"{name} {spread(beside)}" if beside else name
        self.rows.append((what, unit, spread(ours), other.strip(), figure(quotient) if quotient is not None else "",
                          goal or "", met))
        print(f"  {what}: {spread(ours)} {unit} {other}", file=sys.stderr, flush=True)

    def note(self, what, text):
        """A row that could not be measured, and why."""
        self.rows.append((what, "", text, "", "", "", ""))
        print(f"  {what}: {text}", file=sys.stderr, flush=True)

    def print(self):
        rows = [self.heads] + self.rows
        widths = [max(len(row[column]) for row in rows) for column in range(len(self.heads))]
        line = lambda row: "| " + " | ".join(text.ljust(width) for text, width in zip(row, widths)) + " |"
        print(line(self.heads))
        print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
        for row in self.rows:
            print(line(row))
