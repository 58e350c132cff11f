#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the ends of loops cost an optical flow: a table and a plot of tessera-bench-flow.

    benchmarks/flow/ablation.py build/bin [--sizes 640x480,1280x720,1920x1080,4096x2160] [--runs 5] [--plot ablation.svg]

For one and two ranks, and one and two threads each, as far as there are cores for them, the program computes pairs of frames in
three ways: by a pipeline whose ranks wait for the decision about each turn; by one that decides while it computes the next
turn; and by a graph with several pairs in different turns. Prints a Markdown table of the median milliseconds of a pair, and of
the time of the graph as a share of that of the pipeline that waits. The plot has the speed of the second and the third way, where
that of the first is 1. What is left out, as there are too few cores, is said on stderr.
"""
import argparse
import csv
import io
import itertools
import os
import subprocess
import sys

VARIANTS = ("waits", "overlaps", "graph")
COLOURS = {"overlaps": "#4477aa", "graph": "#cc6677"}
ENDS = {"paper": "3 warps of 5 turns", "data": "ends by change"}


def measured(options, size, ends, ranks, threads):
    """The median milliseconds of each variant, and the number of turns."""
    words = ["mpiexec", "-n", str(ranks), f"{options.programs}/tessera-bench-flow", "--sizes", size, "--ends", ends,
             "--threads", str(threads), "--runs", str(options.runs), "--pairs", str(options.pairs), "--solver", options.solver]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    printed = subprocess.run(words, check=True, capture_output=True, text=True, env=environment).stdout
    rows = list(csv.DictReader(io.StringIO(printed)))
    return {row["variant"]: float(row["median_ms"]) for row in rows}, int(rows[0]["turns"])


def plot(results, path):
    """A bar chart as SVG: groups of bars for each size, ends of loops, ranks and threads."""
    width, height, left, bottom, bar = 40 + 46 * len(results), 320, 40, 90, 18
    top = max(times["waits"] / times[name] for times, _ in results.values() for name in COLOURS)
    scale = (height - bottom - 20) / max(top, 1.2)

    def text(x, y, words, **keys):
        attributes = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in keys.items())
        return f'<text x="{x:.1f}" y="{y:.1f}"{attributes}>{words}</text>'

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="10">',
             f'<rect width="{width}" height="{height}" fill="white"/>']
    base = height - bottom
    for step in range(int(max(top, 1.2) * 2) + 1):
        y = base - step / 2 * scale
        parts += [f'<line x1="{left}" x2="{width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>', text(8, y + 3, f"{step / 2:.1f}")]
    for number, ((size, ends, ranks, threads), (times, _)) in enumerate(results.items()):
        x = left + 46 * number + 4
        for place, (name, colour) in enumerate(COLOURS.items()):
            speed = times["waits"] / times[name]
            parts.append(f'<rect x="{x + bar * place:.1f}" y="{base - speed * scale:.1f}" width="{bar - 2}" '
                         f'height="{speed * scale:.1f}" fill="{colour}"/>')
        for line, words in enumerate((size, ends,
                                      f"{ranks} x {threads}")):
            parts.append(text(x + bar, base + 12 + 12 * line, words, text_anchor="middle", font_size=8))
    parts.append(f'<line x1="{left}" x2="{width}" y1="{base - scale:.1f}" y2="{base - scale:.1f}" stroke="#333" stroke-dasharray="4"/>')
    for number, (name, colour) in enumerate(COLOURS.items()):
        parts += [f'<rect x="{left + 90 * number}" y="{height - 22}" width="10" height="10" fill="{colour}"/>',
                  text(left + 90 * number + 14, height - 13, name)]
    parts.append(text(left + 190, height - 13, "speed, where waiting for each decision is 1; ranks x threads"))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([*parts, "</svg>"]) + "\n")


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
    parser.add_argument("--plot")
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
    results = {}
    for size, ends, (ranks, threads) in itertools.product(options.sizes.split(","), options.ends.split(","), fitting):
        times, turns = results[size, ends, ranks, threads] = measured(options, size, ends, ranks, threads)
        print(f"| {size} | {ENDS[ends]} | {ranks} | {threads} | {turns} | " +
              " | ".join(f"{times[name]:.0f}" for name in VARIANTS) + f" | {times['graph'] / times['waits']:.2f} |", flush=True)
    if options.plot:
        plot(results, options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
