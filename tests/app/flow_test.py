# SPDX-License-Identifier: BSD-3-Clause
"""tessera-flow as a whole program: its files and errors read by numpy, the same bits on any number of ranks and with every deck.

usage: flow_test.py FOLDER_OF_PROGRAMS FOLDER_OF_DECKS MPIEXEC COUNT_FLAG
"""
import json
import os
import sys
import unittest

import numpy as np

# Python must not write compiled modules beside the sources.
sys.dont_write_bytecode = True

from program_runs import ProgramRuns

HEIGHT, WIDTH = 61, 83


def texture(x, y):
    return (120 + 40 * np.sin(0.21 * x + 0.05 * y) + 35 * np.cos(0.17 * y - 0.08 * x) + 25 * np.sin(0.11 * x) * np.sin(0.13 * y))


def wheel():
    """The hues of S. Baker et al., A Database and Evaluation Methodology for Optical Flow, from 0 to 1."""
    hues = []
    for steps, begin, end in ((15, "100", "110"), (6, "110", "010"), (4, "010", "011"), (11, "011", "001"), (13, "001", "101"),
                              (6, "101", "100")):
        begin, end = (np.array([int(digit) for digit in colour]) for colour in (begin, end))
        for step in range(steps):
            hues.append((255 * begin + (end - begin) * (255 * step // steps)) / 255)
    return np.array(hues)


def colours(flow, largest):
    u, v = flow.astype("f8") / largest
    hues, radius = wheel(), np.hypot(u, v)
    place = (np.arctan2(-v, -u) / np.pi + 1) / 2 * (len(hues) - 1)
    before = place.astype(int)
    share = (place - before)[..., None]
    pure = (1 - share) * hues[before] + share * hues[(before + 1) % len(hues)]
    radius = radius[..., None]
    return np.floor(255 * np.where(radius <= 1, 1 - radius * (1 - pure), 0.75 * pure)).transpose(2, 0, 1)


class Flow(ProgramRuns):
    def setUp(self):
        super().setUp()
        y, x = np.mgrid[:HEIGHT, :WIDTH].astype("f8")
        self.grid = x, y
        self.truth = np.stack([1.5 + 0.02 * (x - 40), -1 + 0.03 * (y - 30)]).astype("f4")
        self.first = texture(x + self.truth[0], y + self.truth[1])
        self.second = texture(x, y)
        self.store("frame10.h5", self.first.astype("u1"))
        self.store("frame11.h5", self.second.astype("u1"))
        self.store("truth.h5", self.truth)

    def words(self, *more, deck="default", first="frame10.h5", second="frame11.h5"):
        return [f"{self.decks}/{deck}.yaml", "threads=1", f"input.first={first}", f"input.second={second}", *more]

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def flo(self, name):
        content = self.bytes_of(name)
        self.assertEqual(content[:4], b"PIEH")
        width, height = np.frombuffer(content, "<i4", 2, 4)
        return np.frombuffer(content, "<f4", offset=12).reshape(height, width, 2).transpose(2, 0, 1)

    def picture(self, name):
        self.output("convert", 0, f"input.file={name}", "output.file=read.h5")
        return self.stored("read.h5").astype(int)

    def test_the_command(self):
        self.output("flow", 2, *self.words("output.flo=flow.flo", "output.png=flow.png", "output.file=flow.h5"))
        flow = self.flo("flow.flo")
        self.assertEqual(flow.shape, (2, HEIGHT, WIDTH))
        self.assertTrue(np.array_equal(flow, self.stored("flow.h5", "flow")))
        self.assertLess(np.mean(np.hypot(*(flow - self.truth))), 0.1)
        picture = self.picture("flow.png")
        self.assertEqual(picture.shape, (3, HEIGHT, WIDTH))
        # The largest displacement has a pure colour, and slow pixels are nearly white.
        speed = np.hypot(*flow)
        fastest, slowest = (np.unravel_index(f(speed), speed.shape) for f in (np.argmax, np.argmin))
        self.assertLess(picture[(slice(None), *fastest)].min(), 5)
        self.assertGreaterEqual(picture[(slice(None), *slowest)].min(), 255 * (1 - speed[slowest] / speed[fastest]) - 2)

    def test_colours(self):
        # A still pair has white pixels.
        self.output("flow", 0, *self.words("scales=1", "output.png=still.png", second="frame10.h5"))
        self.assertEqual(self.picture("still.png").min(), 255)

    def test_pictures_are_those_of_numpy(self):
        words = ("scales=2", "picture.scale=1.5")
        self.output("flow", 0, *self.words("output.flo=p.flo", "output.png=pure.png", *words))
        pure, flow = self.picture("pure.png"), self.flo("p.flo")
        drawn = colours(flow, 1.5)
        # Roundings may change the last bit where a colour is cut off.
        self.assertLessEqual(np.abs(pure - drawn).max(), 1)
        self.assertLess(np.mean(pure != drawn), 0.01)
        # Displacements above the scale are seen as such.
        self.assertTrue((np.hypot(*flow) > 1.5).any())
        for blend in (0.5, 0.3):
            self.output("flow", 2, *self.words("output.png=mixed.png", f"picture.blend={blend}", *words))
            expected = blend * pure + (1 - blend) * self.first.astype("u1")
            self.assertLessEqual(np.abs(self.picture("mixed.png") - expected).max(), 0.5 + 1e-3)

    def test_the_frame_below_a_picture(self):
        first, second = self.first.astype("u1"), self.second.astype("u1")
        colour = [np.stack([image, 255 - image, image // 2]) for image in (first, second)]
        kinds = {"bytes": [first, second], "colour": colour, "words": [100 * image.astype("u2") for image in colour],
                 "floats": [image * np.float32(1e-30) - np.float32(3e-29) for image in (first, second)]}
        for kind, images in kinds.items():
            for name, image in zip(("a.h5", "b.h5"), images):
                self.store(name, image)
            self.output("flow", 0, *self.words("scales=1", "warps=1", "output.png=g.png", "picture.blend=0", first="a.h5", second="b.h5"))
            # Only the frame is left: bytes as they are, and others from black to white.
            grey = images[0].astype("f8")
            if grey.ndim == 3:
                grey = np.tensordot((0.299, 0.587, 0.114), grey, 1)
            if kind not in ("bytes", "colour"):
                grey = (grey - grey.min()) * 255 / (grey.max() - grey.min())
            self.assertLessEqual(np.abs(self.picture("g.png") - grey).max(), 0.5 + 1e-3, kind)

    def test_errors(self):
        truth = self.truth.copy()
        truth[:, 5, 7] = 1e10
        self.store("truth.h5", truth)
        self.output("flow", 2, *self.words("output.flo=flow.flo", "truth.file=truth.h5", "scales=1", "--report", "r.json"))
        with open(self.path("r.json"), encoding="utf-8") as file:
            numbers = json.load(file)["numbers"]
        flow, known = self.flo("flow.flo").astype("f8"), np.abs(truth[0]) < 1e9
        distance = np.hypot(*(flow - truth))[known]
        product = flow[0] * truth[0] + flow[1] * truth[1] + 1
        lengths = np.sqrt((1 + (flow**2).sum(0)) * (1 + (truth.astype("f8")**2).sum(0)))
        angle = np.degrees(np.arccos(np.minimum(product / lengths, 1)))[known]
        self.assertAlmostEqual(numbers["average_endpoint_error"], distance.mean(), delta=1e-5)
        self.assertAlmostEqual(numbers["average_angular_error"], angle.mean(), delta=1e-3)
        self.assertAlmostEqual(numbers["share_above_1"], np.mean(distance > 1), delta=1e-9)
        self.assertAlmostEqual(numbers["share_above_3"], np.mean(distance > 3), delta=1e-9)

    def test_a_flow_is_read_as_the_truth(self):
        self.output("flow", 0, *self.words("output.flo=flow.flo", "scales=1"))
        text = self.output("flow", 2, *self.words("output.flo=again.flo", "scales=1", "truth.file=flow.flo"))
        self.assertIn("average_endpoint_error 0, average_angular_error 0, share_above_1 0, share_above_3 0", text)

    def test_the_same_bits(self):
        for solver, runs in (("jacobi", ((1, "temporal"), (4, "overlapped"))), ("red_black", ((2, "red_black"), (3, "communicate"))),
                             ("chebyshev", ((3, "deep_ghosts"), (2, "redundant"), (4, "temporal")))):
            results = []
            for ranks, deck in ((0, "default"), *runs):
                self.output("flow", ranks, *self.words("output.flo=o.flo", "output.history=h.csv", f"solver={solver}", "scales=2",
                                                       "warps=3", "turns=25", deck=deck))
                results.append((self.bytes_of("o.flo"), self.bytes_of("h.csv")))
            for result, run in zip(results[1:], runs):
                self.assertEqual(result, results[0], f"{solver}, {run}")

    def test_iterates_are_kept_only_in_tiles(self):
        for deck, levels in (("default", ()), ("deep_ghosts", ()), ("temporal", (0, 1))):
            text = self.output("flow", 0, *self.words("output.flo=o.flo", "scales=3", "--explain", deck=deck))
            for level in range(3):
                self.assertEqual(f"kept_u_{level}" in text, level in levels, f"{deck}, {level}")

    def test_images_of_any_type(self):
        results = []
        for kind in (np.uint8, np.uint16, np.float32):
            for name, image in (("a.h5", self.first), ("b.h5", self.second)):
                self.store(name, image.astype("u1").astype(kind))
            self.output("flow", 0, *self.words("output.flo=o.flo", "scales=1", first="a.h5", second="b.h5"))
            results.append(self.bytes_of("o.flo"))
        self.assertEqual(results[1:], results[:1] * 2)
        for name, image in (("a.h5", self.first), ("b.h5", self.second)):
            self.store(name, np.stack([image, image / 2, image / 3]).astype("f4"))
        self.output("flow", 0, *self.words("output.flo=o.flo", first="a.h5", second="b.h5"))
        self.assertLess(np.mean(np.hypot(*(self.flo("o.flo") - self.truth))), 0.1)

    def test_a_series(self):
        for name, image in (("f0.h5", self.first), ("f1.h5", self.second)):
            self.store(name, image.astype("u1"))
            self.store(f"g{name[1:]}", self.second.astype("u1"))
        words = ("scales=2", "warps=2", "turns=10", "threads=1")
        for number in range(2):
            self.output("flow", 0, f"input.first=f{number}.h5", f"input.second=g{number}.h5", f"output.flo=f{number}.flo", *words)
        series = ("input.files=f?.h5", 'input.second=["g?.h5"]', *words)
        for ranks in (1, 2):
            os.mkdir(self.path(f"o{ranks}"))
            self.output("flow", ranks, *series, f"output.files=o{ranks}/{{name}}.flo")
            for name in ("f0.flo", "f1.flo"):
                self.assertEqual(self.bytes_of(f"o{ranks}/{name}"), self.bytes_of(name))

    def test_a_series_of_frames_that_follow_each_other(self):
        words = ("scales=2", "warps=2", "turns=10", "threads=1", "picture.blend=0.5")
        frames = [texture(self.grid[0] - 0.4 * n * n, self.grid[1] + 0.2 * n).astype("u1") for n in range(5)]
        for number, image in enumerate(frames):
            self.store(f"f{number}.h5", image)
        for number in range(4):
            self.output("flow", 0, f"input.first=f{number}.h5", f"input.second=f{number + 1}.h5", f"output.flo=s{number}.flo",
                        f"output.png=s{number}.png", *words)
        for ranks, window in ((0, 1), (2, 1), (3, 2)):
            for ending, pictures in (("flo", words[:-1]), ("png", words)):
                self.output("flow", ranks, "input.files=f?.h5", f"output.files=o{{index}}.{ending}", f"graph.window={window}", *pictures)
                for number in range(4):
                    self.assertEqual(self.bytes_of(f"o{number}.{ending}"), self.bytes_of(f"s{number}.{ending}"), (ranks, number))
            self.assertFalse(os.path.exists(self.path("o4.flo")))
        for ranks in (0, 2):
            line = self.refused("flow", ranks, "input.files=f0.h5", "output.files=x{index}.flo", *words[:-1])
            self.expect_message(line, "'input.files':", "there is only one")
        line = self.refused("flow", 0, "input.first=f0.h5", "output.flo=x.flo", *words[:-1])
        self.expect_message(line, "'input.second' is required")

    def test_a_restart(self):
        self.output("flow", 0, *self.words("output.flo=whole.flo", "scales=2"))
        os.mkdir(self.path("kept"))
        words = self.words("output.flo=o.flo", "scales=2", "checkpoint.directory=kept", "checkpoint.every=2", "restart=kept")
        self.assertEqual(self.ending("flow", 1, *words, "wall_limit=0.001").returncode, 4)
        text = self.output("flow", 2, *words)
        self.assertIn("restart kept/tessera-flow-00000001.h5: after 1 turn of 'warps_1'", text)
        self.assertEqual(self.bytes_of("o.flo"), self.bytes_of("whole.flo"))

    def test_bad_input(self):
        self.store("small.h5", np.zeros((5, 6), "u1"))
        broken = self.first.astype("f4")
        broken[50, 3] = np.nan
        self.store("broken.h5", broken)
        self.store("whole.h5", self.second.astype("f4"))
        with open(self.path("cut.flo"), "wb") as file:
            file.write(b"PIEH" + np.array([WIDTH, HEIGHT], "<i4").tobytes() + bytes(100))

        def refused(*more, ranks=2, **frames):
            return self.refused("flow", ranks, *self.words("output.flo=o.flo", *more, **frames))

        self.expect_message(refused(second="small.h5"), "'input.second':", "small.h5 is [0, 6)")
        self.expect_message(refused("scales=9", ranks=0), "'scales':", "zoom 0.5", "at most 8")
        for ranks, frames in ((0, {"first": "broken.h5", "second": "whole.h5"}), (3, {"first": "whole.h5", "second": "broken.h5"})):
            self.expect_message(refused(ranks=ranks, **frames), "broken.h5", "no finite number at (3, 50)")
        self.expect_message(refused("truth.file=cut.flo", ranks=0), "cut.flo: is damaged", "112 bytes")
        self.expect_message(refused("truth.file=frame10.h5", ranks=0), "'truth.file': it is", "but the flow of these frames")
        for key in ("picture.scale", "picture.blend"):
            self.expect_message(refused(f"{key}=0.5", ranks=0), f"'{key}':", "there is no picture", "output.png")
        self.expect_message(refused("output.png=o.png", "picture.blend=1.5", ranks=0), "'picture.blend'", "from 0 to 1")

    def test_a_series_with_numbers_that_are_not_finite(self):
        broken = self.second.astype("f4")
        broken[50, 3] = np.inf
        for name, first, second in (("0", self.first, self.second), ("1", self.first, broken), ("2", self.first, self.second)):
            self.store(f"f{name}.h5", first.astype("f4"))
            self.store(f"g{name}.h5", second.astype("f4"))
        words = ("scales=1", "warps=1", "turns=2", "threads=1")
        refused = "g1.h5 has no finite number at (3, 50): give one of finite numbers"
        for ranks in (0, 2):
            message = self.refused("flow", ranks, "input.files=f?.h5", 'input.second=["g?.h5"]', "output.files=o/{name}.flo", *words)
            self.expect_message(message, f"'input.second': {refused}")
        message = self.refused("flow", 0, "input.files=g?.h5", 'input.second=["f?.h5"]', "output.files=o/{name}.flo", *words)
        self.expect_message(message, f"'input.files': {refused}")
        # The pairs before a refused one may be written, so that the pairs left out are counted in a folder of their own.
        ended = self.ending("flow", 0, "input.files=f?.h5", 'input.second=["g?.h5"]', "on_error=skip", "output.files=kept/{name}.flo", *words)
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertIn("left out ", ended.stderr)
        self.assertIn(refused, ended.stderr)
        self.assertEqual(sorted(os.listdir(self.path("kept"))), ["f0.flo", "f2.flo"])


if __name__ == "__main__":
    programs, Flow.decks, mpiexec, count_flag = sys.argv[1:]
    Flow.launch_with(programs, mpiexec, count_flag)
    unittest.main(argv=sys.argv[:1])
