#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long whole programs take, from their start to their end, beside their own steps and beside other programs.

    benchmarks/whole_programs.py build/bin [--sizes 1024x768,6144x4096,16384x16384] [--threads 2] [--runs 15]
        [--peer NAME 'COMMAND {operation} {input} {output}']...

Draws an image of each size with tessera-generate, as PNG, TIFF and HDF5. Then tessera-blur, tessera-sobel and
tessera-resize read and write it on one rank, and each peer does the same, in turn. Prints a Markdown table of medians in
milliseconds. `reading`, `computing` and `writing` are the times in the report of the run whose sum of the three is the
median, `sum` is that sum, and `largest` the largest of the three.

The peer vips takes part where it is installed. In the command of another peer, {operation} becomes blur, sobel or resize,
and {threads}, {input} and {output} what their names say; a case that the command fails at is left out.
"""
import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

KEYS = {"png": "output.png", "tiff": "output.tiff", "h5": "output.file"}
STEPS = ("reading", "computing", "writing")
BOX = "3 3 9 0\n1 1 1\n1 1 1\n1 1 1\n"
VIPS = {"blur": "vips conv {input} {output} {folder}/box.mat --precision integer",
        "sobel": "vips sobel {input} {output}",
        "resize": "vips resize {input} {output} 1.3 --kernel cubic"}


def parse_arguments():
    parser = argparse.ArgumentParser(description="Times whole programs.")
    parser.add_argument("programs", help="the folder of the programs, such as build/bin")
    parser.add_argument("--sizes", default="1024x768,6144x4096,16384x16384",
                        help="WxH, or WxHx3 for colours; several with commas")
    parser.add_argument("--formats", default="png,tiff,h5")
    parser.add_argument("--operations", default="blur,sobel,resize")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=15,
                        help="a fifth of them, but 3 at least, for images of 64 MiB and more")
    parser.add_argument("--folder", help="where the files are written: a RAM disk keeps the disk out of the figures")
    parser.add_argument("--peer", nargs=2, action="append", default=[], metavar=("NAME", "COMMAND"))
    return parser.parse_args()


def draw(arguments, folder, size):
    """Draws the image of a size in all formats; its file names lack their ends."""
    width, height, *channels = size.split("x")
    stem = os.path.join(folder, size)
    formats = arguments.formats.split(",")
    subprocess.run([os.path.join(arguments.programs, "tessera-generate"), "-q", "kind=noise", "noise.exponent=2.5",
                    f"width={width}", f"height={height}", f"channels={channels[0] if channels else 0}"] +
                   [f"{KEYS[format_]}={stem}.{format_}" for format_ in formats], check=True)
    return stem


def seconds_of(command, environment):
    """The time from the start to the end of a command, or None where it fails."""
    begin = time.perf_counter()
    ended = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    seconds = time.perf_counter() - begin
    return seconds if ended.returncode == 0 else None


def steps_of(path):
    """The seconds of reading, computing and writing in a report."""
    with open(path) as file:
        rows = {row["spent"]: row["slowest_seconds"] for row in json.load(file)["time"]}
    return [rows[step] for step in STEPS]


def commands_of(arguments, folder, operation, stem, format_):
    """The name and the command of the program and of each peer."""
    words = {"operation": operation, "threads": arguments.threads, "folder": folder, "input": f"{stem}.{format_}",
             "output": os.path.join(folder, f"result.{format_}")}
    program = [os.path.join(arguments.programs, f"tessera-{operation}"), "-q", f"threads={arguments.threads}",
               f"input.file={words['input']}", f"{KEYS[format_]}={words['output']}",
               "--report", os.path.join(folder, "report.json")]
    yield "tessera", program
    peers = [("vips", VIPS[operation])] if shutil.which("vips") and format_ != "h5" else []
    for name, template in peers + arguments.peer:
        yield name, shlex.split(template.format(**words))


def measure(arguments, folder, operation, stem, format_, runs):
    """The samples of each command, taken in turn, and the steps of each run of the program."""
    environment = dict(os.environ, VIPS_CONCURRENCY=str(arguments.threads), OMP_NUM_THREADS=str(arguments.threads))
    commands = dict(commands_of(arguments, folder, operation, stem, format_))
    samples = {name: [] for name in commands}
    steps = []
    for turn in range(runs + 1):
        for name, command in commands.items():
            if samples[name] is None:
                continue
            seconds = seconds_of(command, environment)
            if seconds is None:
                if name == "tessera":
                    sys.exit("failed: " + shlex.join(command))
                samples[name] = None
            elif turn > 0:  # The first turn warms the caches of the system.
                samples[name].append(seconds)
                if name == "tessera":
                    steps.append(steps_of(os.path.join(folder, "report.json")))
    return samples, steps


def median(values):
    return sorted(values)[len(values) // 2]


def print_row(size, operation, format_, samples, steps, peers):
    reading, computing, writing = sorted(steps, key=sum)[len(steps) // 2]
    whole, largest = median(samples["tessera"]), max(reading, computing, writing)
    cells = [size, operation, format_, *(f"{1000 * value:.1f}" for value in (
        whole, reading, computing, writing, reading + computing + writing, largest)), f"{whole / largest:.2f}"]
    for peer in peers:
        times = samples.get(peer)
        cells.append(f"{1000 * median(times):.1f}" if times else "-")
    print("| " + " | ".join(cells) + " |", flush=True)


def run(arguments, folder):
    with open(os.path.join(folder, "box.mat"), "w") as file:
        file.write(BOX)
    peers = (["vips"] if shutil.which("vips") else []) + [name for name, _ in arguments.peer]
    names = ["size", "program", "format", "whole", *STEPS, "sum", "largest", "whole / largest", *peers]
    print("| " + " | ".join(names) + " |\n" + "| --- " * len(names) + "|", flush=True)
    for size in arguments.sizes.split(","):
        stem = draw(arguments, folder, size)
        width, height, channels, *_ = *map(int, size.split("x")), 1
        large = width * height * channels >= 64 << 20
        runs = max(min(3, arguments.runs), arguments.runs // 5) if large else arguments.runs
        for format_ in arguments.formats.split(","):
            for operation in arguments.operations.split(","):
                samples, steps = measure(arguments, folder, operation, stem, format_, runs)
                print_row(size, operation, format_, samples, steps, peers)
        for format_ in arguments.formats.split(","):
            os.remove(f"{stem}.{format_}")


def main():
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        run(arguments, folder)


if __name__ == "__main__":
    main()
