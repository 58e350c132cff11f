#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the ends of loops cost an optical flow: a table of tessera-bench-flow.

    benchmarks/flow/ablation.py build/bin [--sizes 640x480,1280x720,1920x1080,4096x2160] [--runs 5]

For one and two ranks, and one and two threads each, as far as there are cores for them, the program computes pairs of frames in
three ways: by a pipeline whose ranks wait for the decision about each turn; by one that decides while it computes the next
turn; and by a graph in which each pair belongs to one thread. Prints a Markdown table of the median milliseconds of a pair, and
of the time of the graph as a share of that of the pipeline that waits. What is left out, as there are too few cores, is said on
stderr.
"""
import argparse
import csv
import io
import itertools
import os
import subprocess
import sys

VARIANTS = ("waits", "overlaps", "graph")
ENDS = {"paper": "3 warps of 5 turns", "data": "ends by change"}


def measured(options, size, ends, ranks, threads):
    """The median milliseconds of each variant, and the number of turns."""
    words = ["mpiexec", "-n", str(ranks), f"{options.programs}/tessera-bench-flow", "--sizes", size, "--ends", ends,
             "--threads", str(threads), "--runs", str(options.runs), "--pairs", str(options.pairs), "--solver", options.solver]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    printed = subprocess.run(words, check=True, capture_output=True, text=True, env=environment).stdout
    rows = list(csv.DictReader(io.StringIO(printed)))
    return {row["variant"]: float(row["median_ms"]) for row in rows}, int(rows[0]["turns"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("programs")
    parser.add_argument("--sizes", default="640x480,1280x720,1920x1080,4096x2160")
    parser.add_argument("--ends", default="paper,data")
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--solver", default="chebyshev")
    options = parser.parse_args()
    # Threads that share a core wait for each other in busy loops, so that their times say nothing about the ends of loops.
    cores = len(os.sched_getaffinity(0))
    layouts = list(itertools.product(map(int, options.ranks.split(",")), map(int, options.threads.split(","))))
    fitting = [(ranks, threads) for ranks, threads in layouts if ranks * threads <= cores]
    if not fitting:
        print(f"ablation.py: error: there are {cores} cores, and all of --ranks {options.ranks} with --threads {options.threads} "
              "need more: give fewer", file=sys.stderr)
        return 2
    for ranks, threads in layouts:
        if (ranks, threads) not in fitting:
            print(f"ablation.py: left out: {ranks} ranks x {threads} threads, as there are {cores} cores", file=sys.stderr)
    print("| frames | ends of loops | ranks | threads each | turns | waits, ms | overlaps, ms | graph, ms | graph / waits |\n"
          "|---|---|---|---|---|---|---|---|---|")
    for size, ends, (ranks, threads) in itertools.product(options.sizes.split(","), options.ends.split(","), fitting):
        times, turns = measured(options, size, ends, ranks, threads)
        print(f"| {size} | {ENDS[ends]} | {ranks} | {threads} | {turns} | " +
              " | ".join(f"{times[name]:.0f}" for name in VARIANTS) + f" | {times['graph'] / times['waits']:.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
