#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How far the disparities of a real rectified pair are from the truth, beside those of OpenCV.

    benchmarks/stereo_pair.py build/bin [--window 13] [--disparities 64] [--left FILE --right FILE --truth FILE.npz]

Without files, the pair is the motorcycle of the Middlebury data set of 2014 (D. Scharstein et al., High-resolution stereo
datasets with subpixel-accurate ground truth, GCPR 2014) at a quarter of its size, which scikit-image comes with. The truth
is an array of the extents of the images, with the disparity of each pixel of the left one; points without truth are not
finite. OpenCV's StereoBM has the same window, its own filter, whose cap is 31, and no test of texture. Prints a Markdown
table: of the points with a truth, the share that has a result, and of these the shares that are off by more than 1 and 2
pixels, and the mean and the median distance from the truth. StereoBM has no results in a margin on the left, so that the
rows of both are repeated for the points where both have one.
"""
import argparse
import os
import subprocess
import tempfile

import cv2
import h5py
import numpy as np


def motorcycle():
    import skimage
    folder = os.path.join(os.path.dirname(skimage.__file__), "data")
    return [os.path.join(folder, "motorcycle_" + name) for name in ("left.png", "right.png", "disp.npz")]


def tessera(programs, folder, options, *words):
    result = os.path.join(folder, "disparity.h5")
    subprocess.run([f"{programs}/tessera-stereo", f"input.reference={folder}/left.png", f"input.matches=[{folder}/right.png]",
                    f"disparities={options.disparities}", f"window={options.window}", f"output.file={result}", "--quiet",
                    *words], check=True)
    with h5py.File(result) as file:
        return file[next(iter(file))][...].astype(np.float64)


def opencv(left, right, options, **settings):
    matcher = cv2.StereoBM_create(options.disparities, options.window)
    matcher.setTextureThreshold(0)
    matcher.setUniquenessRatio(settings.get("uniqueness", 0))
    matcher.setSpeckleWindowSize(0)
    matcher.setDisp12MaxDiff(settings.get("tolerance", -1))
    return matcher.compute(left, right).astype(np.float64) / 16


def row(name, found, truth):
    known = np.isfinite(truth)
    valid = known & (found >= 0)
    error = np.abs(found[valid] - truth[valid])
    print(f"| {name} | {valid.sum() / known.sum():.3f} | {(error > 1).mean():.3f} | {(error > 2).mean():.3f} |"
          f" {error.mean():.2f} | {np.median(error):.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("programs")
    parser.add_argument("--window", type=int, default=13)
    parser.add_argument("--disparities", type=int, default=64)
    for name in ("left", "right", "truth"):
        parser.add_argument("--" + name)
    options = parser.parse_args()
    if not (options.left and options.right and options.truth):
        options.left, options.right, options.truth = motorcycle()
    with tempfile.TemporaryDirectory() as folder:
        grey = []
        for name in ("left", "right"):
            grey.append(cv2.imread(getattr(options, name), cv2.IMREAD_GRAYSCALE))
            cv2.imwrite(f"{folder}/{name}.png", grey[-1])
        with np.load(options.truth) as file:
            truth = np.array(file[file.files[0]], dtype=np.float64)
        print("| | has a result | off by more than 1 | by more than 2 | mean | median |\n|---|---|---|---|---|---|")
        row("tessera-stereo", tessera(options.programs, folder, options), truth)
        fractions, peer = tessera(options.programs, folder, options, "subpixel=true"), opencv(*grey, options)
        row("tessera-stereo, subpixel", fractions, truth)
        row("tessera-stereo, subpixel, check of 1 pixel",
            tessera(options.programs, folder, options, "subpixel=true", "check.tolerance=1"), truth)
        squares = tessera(options.programs, folder, options, "subpixel=true", "prefilter=sobel")
        row("tessera-stereo, subpixel, prefilter", squares, truth)
        words = ["subpixel=true", "prefilter=sobel", "cost=absolute"]
        filtered, unique = (tessera(options.programs, folder, options, *words, *more) for more in ([], ["uniqueness=15"]))
        name = "tessera-stereo, subpixel, prefilter, absolute"
        row(name, filtered, truth)
        row(name + ", check of 1 pixel", tessera(options.programs, folder, options, *words, "check.tolerance=1"), truth)
        row(name + ", uniqueness of 15 %", unique, truth)
        row(name + ", uniqueness of 15 %, check of 1 pixel",
            tessera(options.programs, folder, options, *words, "uniqueness=15", "check.tolerance=1"), truth)
        row("OpenCV StereoBM", peer, truth)
        row("OpenCV StereoBM, check of 1 pixel", opencv(*grey, options, tolerance=1), truth)
        row("OpenCV StereoBM, uniqueness of 15 %", opencv(*grey, options, uniqueness=15), truth)
        row("OpenCV StereoBM, uniqueness of 15 %, check of 1 pixel",
            opencv(*grey, options, uniqueness=15, tolerance=1), truth)
        common = np.where(peer >= 0, truth, np.inf)
        row("tessera-stereo, subpixel, where StereoBM has results", fractions, common)
        row("tessera-stereo, subpixel, prefilter, there", squares, common)
        row(name + ", there", filtered, common)
        row(name + ", uniqueness of 15 %, there", unique, common)
        row("OpenCV StereoBM, there", peer, common)


if __name__ == "__main__":
    main()
