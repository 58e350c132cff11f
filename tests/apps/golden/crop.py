#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the crops of this folder: crop.py DUMP, a folder of Halide's outputs for images of 128x64.

For each case the folder holds BENCHMARK.TYPE.json, whose "outputs" name the file, the type and the shape
(slowest dimension first) of what each program computed, and those files, packed, little-endian.
"""
import glob
import json
import os
import sys

PROGRAM = "halide-avx2"
EXTENT = 32
BYTES = {"u8": 1, "u16": 2, "f32": 4}


def crop(samples, size, planes, height, width, left, top):
    """EXTENT x EXTENT points of all planes from (left, top) on, x fastest."""
    rows = ((plane * height + top + row) * width + left for plane in range(planes) for row in range(EXTENT))
    return b"".join(samples[row * size:(row + EXTENT) * size] for row in rows)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.json"))):
        with open(path) as file:
            outputs = json.load(file)["outputs"]
        if PROGRAM not in outputs:
            continue
        output = outputs[PROGRAM]
        shape = output["shape"]
        if path.endswith("i.json"):  # interleaved samples are no planes: rows of all of them
            shape = [shape[0], shape[1] * shape[2]]
        planes, height, width = [1] * (3 - len(shape)) + shape
        with open(os.path.join(sys.argv[1], output["file"]), "rb") as file:
            samples = file.read()
        size = BYTES[output["dtype"]]
        name = os.path.basename(path)[:-len("json")] + "bin"
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), "wb") as file:
            for left, top in ((0, 0), ((width - EXTENT) // 2, (height - EXTENT) // 2)):
                file.write(crop(samples, size, planes, height, width, left, top))


main()
