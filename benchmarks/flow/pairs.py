#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time and error of optical flow, of Tessera and of others, on analytic pairs and on real pairs with a truth.

    benchmarks/flow/pairs.py build/bin [--real FOLDER] [--sizes 640x480,1920x1080] [--runs 5] [--threads 2] [--only NAME,...]

The analytic pairs are a sum of sines, moved, turned and zoomed exactly. FOLDER has the training set of the Middlebury flow
data (S. Baker et al., A database and evaluation methodology for optical flow, IJCV 2011) as it is distributed:
other-data/NAME/frame10.png, frame11.png and other-gt-flow/NAME/flow10.flo. It is used for measuring only. The plain program is
tessera-bench-flow-plain, a program of one thread in the structure of the article by Meinhardt-Llopis, Sánchez and Kondermann
(2013). OpenCV's Farneback, DIS and TV-L1 have their default settings. TV-L1 is part of the contributed modules, and is left
out where Python's cv2 lacks them.

All methods run one after the other in each of the runs. Prints a Markdown table of the median times in milliseconds, without
reading and writing, and of the mean end-point errors in pixels.
"""
import argparse
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import cv2
import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/app"))

import flow_reference as reference

MOTIONS = {"translation": reference.Motion(x=3.3, y=-2.1), "rotation": reference.Motion(angle=0.01),
           "zoom": reference.Motion(zoom=1.01)}


class Pair:
    """Two grey images, the true flow, and where this is known."""

    def __init__(self, name, images, truth):
        self.name, self.images, self.truth = name, [np.clip(np.rint(i), 0, 255).astype(np.uint8) for i in images], truth
        self.known = np.all(np.abs(truth) < 1e9, axis=-1)

    @classmethod
    def analytic(cls, size, name):
        width, height = size
        truth = np.stack(MOTIONS[name].flow(width, height), axis=-1)
        return cls(f"{name}, {width} x {height}", reference.pair(width, height, MOTIONS[name]), truth)

    @classmethod
    def real(cls, folder, name):
        frames = [cv2.imread(f"{folder}/other-data/{name}/frame{i}.png", cv2.IMREAD_GRAYSCALE) for i in (10, 11)]
        return cls(name, frames, cv2.readOpticalFlow(f"{folder}/other-gt-flow/{name}/flow10.flo").astype(np.float64))

    def error(self, flow):
        distance = np.hypot(*np.moveaxis(flow - self.truth, -1, 0))
        return distance[self.known].mean()

    def store(self, folder):
        for name, image in zip(("first", "second"), self.images):
            cv2.imwrite(f"{folder}/{name}.png", image)
            image.astype(np.float32).tofile(f"{folder}/{name}.raw")


class Plain:
    """The plain program."""
    name = "plain C++, 1 thread"

    def __init__(self, programs, *words):
        self.program, self.words = f"{programs}/tessera-bench-flow-plain", words

    def __call__(self, pair, folder):
        height, width = pair.images[0].shape
        printed = subprocess.run([self.program, "first.raw", "second.raw", str(width), str(height), "plain.flo", *self.words],
                                 cwd=folder, check=True, capture_output=True, text=True).stdout
        return float(printed.split()[0]), cv2.readOpticalFlow(f"{folder}/plain.flo")


class Tessera:
    """The program, whose time is that of the slowest rank for all but its preparations, reading and writing."""

    def __init__(self, programs, threads, *words):
        self.program = os.path.abspath(f"{programs}/tessera-flow")
        self.name, self.words = f"tessera-flow, {threads} threads", (f"threads={threads}", *words)

    def __call__(self, pair, folder):
        subprocess.run([self.program, "input.first=first.png", "input.second=second.png", "output.flo=tessera.flo",
                        "--report", "report.json", "--quiet", *self.words], cwd=folder, check=True)
        with open(f"{folder}/report.json", encoding="utf-8") as file:
            spent = {row["spent"]: row["slowest_seconds"] for row in json.load(file)["time"]}
        return spent["computing"] + spent["exchanging"], cv2.readOpticalFlow(f"{folder}/tessera.flo")


class OpenCV:
    """One of OpenCV's methods."""

    def __init__(self, name, method):
        self.name, self.method = name, method

    def __call__(self, pair, folder):
        start = time.perf_counter()
        flow = self.method(*pair.images)
        return time.perf_counter() - start, flow


def opencv_methods():
    methods = {"Farneback": lambda a, b: cv2.calcOpticalFlowFarneback(a, b, None, 0.5, 5, 15, 10, 7, 1.5, 0),
               "DIS": lambda a, b: cv2.DISOpticalFlow_create(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM).calc(a, b, None)}
    if hasattr(cv2, "optflow"):
        methods["TV-L1"] = lambda a, b: cv2.optflow.DualTVL1OpticalFlow_create().calc(a, b, None)
    return [OpenCV("OpenCV " + name, method) for name, method in methods.items()]


def rows(pair, methods, runs):
    with tempfile.TemporaryDirectory() as folder:
        pair.store(folder)
        times, errors = {method.name: [] for method in methods}, {}
        for _ in range(runs):
            for method in methods:
                seconds, flow = method(pair, folder)
                times[method.name].append(seconds)
                errors[method.name] = pair.error(flow)
    for method in methods:
        print(f"| {pair.name} | {method.name} | {1000 * statistics.median(times[method.name]):.0f} | {errors[method.name]:.3f} |",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("programs")
    parser.add_argument("--real", metavar="FOLDER")
    parser.add_argument("--sizes", default="640x480,1920x1080")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="the pairs to measure, such as translation,RubberWhale")
    parser.add_argument("--words", default="", help="more words for tessera-flow, such as alpha=15")
    parser.add_argument("--plain", default="", help="more words for the plain program, such as alpha=15")
    options = parser.parse_args()
    cv2.setNumThreads(options.threads)
    programs = os.path.abspath(options.programs)
    methods = [Tessera(programs, options.threads, *options.words.split()), Plain(programs, *options.plain.split()),
               *opencv_methods()]
    wanted = options.only.split(",") if options.only else None
    print(f"OpenCV {cv2.__version__}, {options.runs} runs\n\n| pair | method | ms | error |\n|---|---|---|---|")
    for size in options.sizes.split(","):
        for name in MOTIONS:
            if wanted is None or name in wanted:
                rows(Pair.analytic([int(side) for side in size.split("x")], name), methods, options.runs)
    if options.real:
        for path in sorted(glob.glob(f"{options.real}/other-gt-flow/*")):
            if wanted is None or os.path.basename(path) in wanted:
                rows(Pair.real(options.real, os.path.basename(path)), methods, options.runs)


if __name__ == "__main__":
    main()
