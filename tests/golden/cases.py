# SPDX-License-Identifier: BSD-3-Clause
"""What runs: every program with each of its decks, pipelines also with inputs/auto.yaml, and what else programs can do.

The words of a program are given with all of its decks: small inputs, which inputs.py makes, and in place of what is for large
images smaller sizes, tiles and turns. Words of a deck come after them.
"""
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DECKS = os.path.abspath(os.path.join(HERE, "..", "..", "inputs"))

FILE = "output.file=o.h5"
REPORT = "--report report.json"

# Programs that are not named below have these words.
USUAL = f"input.file=in/u16.h5 {FILE}"
WORDS = {
    "bilateral-grid": f"input.file=in/f32.h5 {FILE}",
    "blur": f"input.file=in/u8.h5 {FILE}",
    "calibrate": "effort=0.05 output=machine.yaml",
    "camera-pipe": f"input.file=in/raw.h5 {FILE}",
    "chain": f"input.file=in/u8.png {FILE}",
    "compare": f"input.file=in/u8.h5 other.file=in/spoilt.h5 {FILE} {REPORT}",
    "flow": "input.first=in/frame0.png input.second=in/frame1.png truth.file=in/truth.h5 scales=2 warps=3 turns=20 "
            f"{FILE} {REPORT}",
    "generate": f"width=203 height=131 {FILE}",
    "heat3d": f"intervals.x=16 intervals.y=18 intervals.z=20 steps=25 {FILE} {REPORT}",
    "helmholtz": f"intervals.x=20 intervals.y=24 {FILE} {REPORT}",
    "interpolate": f"input.file=in/rgba.h5 {FILE}",
    "kmeans": f"input.file=in/points.h5 clusters=6 schedule.*.tile=[256] {FILE} {REPORT}",
    "life": f"input.file=in/soup.h5 generations=40 {FILE} {REPORT}",
    "local-laplacian": f"input.file=in/rgb16.h5 {FILE}",
    "matmul": f"a.file=in/whole_a.h5 b.file=in/whole_b.h5 block=64 depth=64 leaf=64 {FILE}",
    "pagerank": f"input.file=in/links.mtx {FILE}",
    "resize": f"input.file=in/u8.h5 {FILE}",
    "restore": f"input.file=in/noisy.h5 {FILE} {REPORT}",
    "sobel": f"input.file=in/f32.h5 {FILE}",
    "spectrum": f"input.file=in/f32.h5 {FILE}",
    "stereo": f"input.reference=in/view0.png input.matches=[in/view1.png,in/view2.png] disparities=32 window=9 {FILE}",
    "stitch": "input.tiles=in/t{row:1}_{col:1}.png input.overlap=0.2 output.positions=positions.csv output.pairs=pairs.csv "
              "output.tiff=plate.tif",
    "wavelet": f"input.file=in/f32.h5 {FILE}",
}

DECK_WORDS = {
    ("chain", "auto.yaml"): os.path.join(DECKS, "chain", "edges.yaml"),
    ("helmholtz", "auto.yaml"): "tolerance=1e-6",
    ("spectrum", "convolve.yaml"): "kernel.file=in/kernel.h5 method=transform",
    ("spectrum", "deconvolve.yaml"): "kernel.file=in/kernel.h5",
}

# The estimate of a blur by the description of a machine, which is no deck.
MACHINE = ("communicate.yaml input.file=in/u8.h5 output.file=o.h5 schedule.b*.tile=[64,16] threads=1 "
           "--estimate --ranks 16 --report report.json --machine").split()

# Programs without a schedule.
NO_PIPELINE = {"calibrate", "matmul", "pagerank", "stitch"}

# Results that a library decides: a pattern of program, case and result, the library, and the tolerance as a share of the
# greatest number. Integers may also differ by 1. Checksums compare everything else.
LIBM = "the C library"
LIBRARIES = [
    (r"compare .* report.json:psnr", LIBM, 1e-10),
    (r"flow .* (p\d.png|o.png|report.json:average_angular_error)", LIBM, 1e-6),
    (r"heat3d (?!periodic)", LIBM, 1e-10),
    (r"heat3d periodic", LIBM, 1e-5),
    (r"helmholtz chebyshev", LIBM, 1e-10),
    (r"local-laplacian", LIBM, 1e-4),
    (r"restore errors report.json", LIBM, 1e-10),
    (r"matmul floats", "BLAS", 1e-10),
    (r"spectrum (?!direct)", "FFTW", 1e-5),
]


class Case:
    """Commands that run one after the other in one folder: each is a program and its words."""

    def __init__(self, program, name, commands):
        self.program, self.name, self.commands = program, name, commands
        self.key = program, name

    def __str__(self):
        return f"{self.program} {self.name}"

    def decided_by(self, result):
        """The library that decides the last bits of a result, and its tolerance; None of both if nothing does."""
        return next((entry[1:] for entry in LIBRARIES if re.match(entry[0], f"{self} {result}")), (None, None))


def deck_case(program, path):
    key = program, os.path.basename(path)
    words = WORDS.get(program, USUAL) + " " + DECK_WORDS.get(key, "")
    return Case(*key, [(program, [path, *words.split()])])


def deck_cases():
    """A case for each deck, and for each pipeline one with inputs/auto.yaml."""
    folders = {name for name in os.listdir(DECKS) if os.path.isdir(os.path.join(DECKS, name))} - {"machines"}
    programs = {folder.replace("_", "-") for folder in folders}
    for program in sorted(set(WORDS) - programs):
        sys.exit(f"there is no folder with decks of tessera-{program}")
    found = []
    for path in sorted(glob.glob(os.path.join(DECKS, "*", "*.yaml"))):
        folder, deck = os.path.relpath(path, DECKS).split(os.sep)
        if folder == "machines":
            words = [os.path.join(DECKS, "blur", MACHINE[0]), *MACHINE[1:], path]
            found.append(Case("blur", f"machines/{deck}", [("blur", words)]))
        else:
            found.append(deck_case(folder.replace("_", "-"), path))
    return found + [deck_case(program, os.path.join(DECKS, "auto.yaml")) for program in sorted(programs - NO_PIPELINE)]


def extra_cases():
    """The cases of extras.txt. A word without = is the name of a deck."""
    found = []
    with open(os.path.join(HERE, "extras.txt"), encoding="utf-8") as file:
        lines = [line.strip() for line in file if not line.startswith("#")]
    for program, name, text in (line.replace(":", "", 1).split(None, 2) for line in lines):
        commands = []
        for command in text.split("; "):
            of_program, *words = command.replace("$inputs", DECKS).split()
            deck = os.path.join(DECKS, of_program.replace("-", "_"), words[0] + ".yaml")
            commands.append((of_program, [deck, *words[1:]] if "=" not in words[0] else words))
        found.append(Case(program, name, commands))
    return found


def all_cases():
    return deck_cases() + extra_cases()
