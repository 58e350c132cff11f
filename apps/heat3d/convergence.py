#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs tessera-heat3d on finer and finer grids, with time steps as the squares of the intervals.

    convergence.py PROGRAM >docs/figures/heat3d.csv

Prints a line per run: the greatest error, and the order, log2 of how many times smaller it is than with
intervals twice as long. docs/figures/heat3d.gnuplot draws it.
"""
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

SERIES = {"fixed": ["time=0.1", "courant=0.4"],
          "periodic": ["time=0.025", "courant=0.4", "border=periodic"],
          "fourth": [f"time={1 / 9!r}", f"courant={1 / 6!r}"]}
INTERVALS = [8, 16, 32, 64]


def report_of(program, settings):
    """The report of a run."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        subprocess.run([program, f"output.file={folder}/o.h5", "grid=[1,1,auto]", "--quiet",
                        "--report", report, *settings], check=True)
        return json.loads(report.read_text())


def main(program):
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["series", "intervals", "steps", "error", "discrete_error", "order"])
    for name, settings in SERIES.items():
        before = None
        for n in INTERVALS:
            report = report_of(program, settings + [f"intervals.{d}={n}" for d in "xyz"])
            error = report["numbers"]["error"]
            order = "" if before is None else f"{math.log2(before / error):.4f}"
            table.writerow([name, n, report["loops"][0]["turns"], f"{error:.6g}",
                            f"{report['numbers']['discrete_error']:.3g}", order])
            before = error


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
