# SPDX-License-Identifier: BSD-3-Clause
"""What tessera-flow writes for a series besides flows: pictures, which numpy draws anew, and errors.

usage: flow_series_test.py FOLDER_OF_PROGRAMS FOLDER_OF_DECKS MPIEXEC COUNT_FLAG
"""
import json
import re
import sys
import unittest

import numpy as np

# Python must not write compiled modules beside the sources.
sys.dont_write_bytecode = True

import flow_frames
from flow_frames import METHOD
from program_runs import ProgramRuns

HEIGHT, WIDTH, FRAMES = 30, 41, 5


def frame(number):
    return flow_frames.frame(number, HEIGHT, WIDTH, 0.4)


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


class FlowSeries(ProgramRuns):
    def setUp(self):
        super().setUp()
        for number in range(FRAMES):
            self.store(f"f{number}.h5", frame(number))

    def graph(self, ranks, *words, frames="f?.h5"):
        return self.output("flow", ranks, f"{self.decks}/series.yaml", f"input.files={frames}", *METHOD, *words)

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def picture(self, name):
        self.output("convert", 0, f"input.file={name}", "output.file=read.h5")
        return self.stored("read.h5").astype(int)

    def flow(self, name):
        return np.frombuffer(self.bytes_of(name), "<f4", offset=12).reshape(HEIGHT, WIDTH, 2).transpose(2, 0, 1)

    def test_pictures_are_those_of_numpy(self):
        self.graph(0, "output.files=p{index}.flo", "output.pictures=pure{index}.png", "picture.blend=1", "picture.scale=1.5")
        for blend in (0.5, 0.3):
            self.graph(2, "output.pictures=mixed{index}.png", f"picture.blend={blend}", "picture.scale=1.5")
            for number in (0, 3):
                pure, mixed = (self.picture(f"{kind}{number}.png") for kind in ("pure", "mixed"))
                drawn = colours(self.flow(f"p{number}.flo"), 1.5)
                # Roundings may change the last bit where a colour is cut off.
                self.assertLessEqual(np.abs(pure - drawn).max(), 1)
                self.assertLess(np.mean(pure != drawn), 0.01)
                expected = blend * pure + (1 - blend) * frame(number)
                self.assertLessEqual(np.abs(mixed - expected).max(), 0.5 + 1e-3)
        # Displacements above the scale are seen as such.
        self.assertTrue((np.hypot(*self.flow("p3.flo")) > 1.5).any())

    def test_the_same_bits_as_the_pipeline(self):
        colour = [np.stack([frame(n), 255 - frame(n), frame(n) // 2]) for n in (1, 2)]
        kinds = {"bytes": [frame(1), frame(2)], "colour": colour, "words": [100 * image.astype("u2") for image in colour],
                 "floats": [frame(n) * np.float32(1e-30) - np.float32(3e-29) for n in (1, 2)]}
        for kind, images in kinds.items():
            for name, image in zip("ab", images):
                self.store(f"{name}.h5", image)
            for words in (("picture.scale=1", "picture.blend=0.4"), ("picture.blend=0",)):
                self.output("flow", 2 if kind == "colour" else 0, "input.first=a.h5", "input.second=b.h5", "output.png=p.png", *METHOD, *words)
                self.graph(0, "output.pictures=g.png", *words, frames="[a.h5, b.h5]")
                self.assertEqual(self.bytes_of("p.png"), self.bytes_of("g.png"), (kind, words))
            # With a blend of 0 only the frame is left: bytes as they are, and others from black to white.
            grey = images[0].astype("f8")
            if grey.ndim == 3:
                grey = np.tensordot((0.299, 0.587, 0.114), grey, 1)
            if kind not in ("bytes", "colour"):
                grey = (grey - grey.min()) * 255 / (grey.max() - grey.min())
            self.assertLessEqual(np.abs(self.picture("g.png") - grey).max(), 0.5 + 1e-3, kind)

    def test_the_same_bits_for_ranks_and_windows(self):
        results = []
        for ranks, window in ((0, 1), (2, 1), (3, 2), (4, 3)):
            printed = self.graph(ranks, "output.files=o{index}.flo", "output.pictures=o{index}.png", f"graph.window={window}")
            results.append([self.bytes_of(f"o{number}.{kind}") for number in range(FRAMES - 1) for kind in ("flo", "png")])
            largest = max(np.hypot(*self.flow(f"o{number}.flo")).max() for number in range(FRAMES - 1))
            scale = self.suggested_scale(printed)
            self.assertGreater(scale, largest)
            self.assertLess(scale, 1.0011 * largest)
        self.assertTrue(all(result == results[0] for result in results))

    def suggested_scale(self, printed):
        told = re.findall(r"of their own, up to (\S+) pixels: picture.scale=(\S+) would give all of them the same\n", printed)
        self.assertEqual(len(told), 1, printed)
        self.assertEqual(*told[0])
        return float(told[0][0])

    def test_a_still_pair_has_no_largest_displacement(self):
        printed = self.graph(2, "output.pictures=o{index}.png", "picture.blend=1", frames="[f0.h5, f0.h5, f0.h5]")
        self.assertNotIn("picture.scale", printed)
        self.assertEqual(self.picture("o1.png").min(), 255)
        # Beside a pair that moves slowly, the still one does not count.
        printed = self.graph(2, "output.pictures=o{index}.png", "output.files=o{index}.flo", frames="[f0.h5, f0.h5, f1.h5]")
        largest = np.hypot(*self.flow("o1.flo")).max()
        self.assertLess(largest, 1)
        self.assertLess(largest, self.suggested_scale(printed))
        self.assertLess(self.suggested_scale(printed), 1.0011 * largest)

    def test_errors(self):
        self.graph(0, "output.files=o{index}.flo")
        flows = [self.flow(f"o{number}.flo") for number in range(FRAMES - 1)]
        y, x = np.mgrid[:HEIGHT, :WIDTH]
        truths = [np.stack([0.4 + 0.8 * number + 0 * x, 0.02 * (y - 50)]).astype("f4") for number in range(FRAMES - 1)]
        truths[1][:, 3, 4] = 1e10
        for number, truth in enumerate(truths):
            self.store(f"t{number}.h5", truth, "true")
            self.store(f"other{number}.h5", truth)
        names = ("average_endpoint_error", "average_angular_error", "share_above_1", "share_above_3")
        expected = []
        for flow, truth in zip(flows, truths):
            known = np.abs(truth[0]) < 1e9
            distance = np.hypot(*(flow.astype("f8") - truth))[known]
            product = 1 + (flow.astype("f8") * truth).sum(0)
            lengths = np.sqrt((1 + (flow.astype("f8")**2).sum(0)) * (1 + (truth.astype("f8")**2).sum(0)))
            angle = np.degrees(np.arccos(np.minimum(product / lengths, 1)))[known]
            expected.append((distance.mean(), angle.mean(), np.mean(distance > 1), np.mean(distance > 3)))
        texts = []
        for ranks in (0, 3):
            printed = self.graph(ranks, "output.files=e{index}.flo", "truth.files=t?.h5", "truth.dataset=true", "--report", "r.json")
            lines = [line for line in printed.splitlines() if "average_endpoint_error" in line]
            self.assertEqual([line.split(":")[0] for line in lines], ["pair 0", "pair 1", "pair 2", "pair 3", "mean of 4 pairs"])
            texts.append(lines)
            with open(self.path("r.json"), encoding="utf-8") as file:
                report = json.load(file)
            for number, row in enumerate(report["pairs"]):
                self.assertEqual((row["pair"], row["truth"]), (number, f"t{number}.h5"))
                self.assertTrue(np.allclose([row[name] for name in names], expected[number], rtol=1e-5, atol=1e-6))
            means = [report["numbers"][name] for name in names]
            self.assertTrue(np.allclose(means, np.mean(expected, 0), rtol=1e-5, atol=1e-6))
        self.assertTrue(all(lines == texts[0] for lines in texts))
        # The numbers of a pair are those of the pipeline.
        alone = self.output("flow", 0, "input.first=f2.h5", "input.second=f3.h5", "output.flo=p.flo", "truth.file=other2.h5", *METHOD)
        self.assertIn(texts[0][2].removeprefix("pair 2: "), alone)

    def test_a_truth_that_nobody_knows_is_left_out_of_the_means(self):
        for number in range(2):
            self.store(f"t{number}.h5", np.full((2, HEIGHT, WIDTH), (1e10, 0.5)[number], "f4"))
        printed = self.graph(2, "output.files=o{index}.flo", "truth.files=t?.h5", "--report", "r.json",
                             frames="[f0.h5, f1.h5, f2.h5]").splitlines()
        one, = (line.removeprefix("pair 1: ") for line in printed if line.startswith("pair 1: "))
        self.assertIn("mean of 1 pair: " + one, printed)
        self.assertIn("pair 0: t0.h5 has no known displacement: left out of the means", printed)
        with open(self.path("r.json"), encoding="utf-8") as file:
            self.assertGreater(json.load(file)["numbers"]["average_endpoint_error"], 0)
        printed = self.graph(2, "output.files=o{index}.flo", "truth.files=[t0.h5, t0.h5]", "--report", "r.json",
                             frames="[f0.h5, f1.h5, f2.h5]").splitlines()
        self.assertEqual([line for line in printed if "displacement" in line or "nan" in line or line.startswith("pair ")],
                         ["no true flow has a known displacement: there are no errors"])
        with open(self.path("r.json"), encoding="utf-8") as file:
            self.assertNotIn("numbers", json.load(file))

    def test_bad_input(self):
        def refused(*words, ranks=0, frames="f?.h5"):
            return self.refused("flow", ranks, "run=graph", *([f"input.files={frames}"] if frames else []), *METHOD, *words)

        def has(*parts, ranks=0, frames="f?.h5"):
            self.expect_message(refused(*parts[:-1], ranks=ranks, frames=frames), parts[-1])

        for option in ((), ("--check",)):
            self.assertRegex(refused("output.files=p{index}.flo", "memory=1KiB", "graph.window=2", *option),
                             r"the pools of graph 'flow' need [0-9.]+ KiB, but may use 1.0 KiB: lower their counts")
        has("output.files=p{index}.flo", "there are no frames", frames=None)
        has("output.files=p{index}.flo", "input.video=v.mkv", "'input.video': 'input.files' is given")
        has("output.files=p{index}.flo", "'input.files': no file matches 'g?.h5'", frames="g?.h5")
        has("nothing to write")
        has("output.pictures=p{index}.jpg", "p{index}.jpg does not end in .png")
        has("output.pictures=o.png", "o.png is one file for 4 pictures")
        has("output.pictures=none/{index}.png", "'output.pictures': there is no folder")
        has("output.files=p{index}.flo", "picture.blend=0.5",
            "'picture.blend': there is no picture")
        has("output.pictures=p{index}.png", "picture.blend=1.5", "'picture.blend'")
        self.store("t0.h5", np.zeros((2, HEIGHT, WIDTH), "f4"))
        has("output.files=p{index}.flo", "truth.files=t?.h5",
            "'truth.files': 1 file for 4 pairs", ranks=2)
        has("output.files=p{index}.flo", "truth.files=u?.h5", "'truth.files': no file matches 'u?.h5'")
        has("output.files=p{index}.flo", "truth.dataset=flow", "'truth.dataset': there is no truth")
        for number in range(1, 4):
            self.store(f"t{number}.h5", np.zeros((2, HEIGHT, WIDTH - number // 3), "f4"))
        has("output.files=p{index}.flo", "truth.files=t?.h5", "'truth.files': t3.h5 is [0, 40) x [0, 30)")
        has("output.files=t{index}.h5", "truth.files=[t0.h5, t1.h5, t2.h5, t2.h5]", "'output.files': t0.h5 is also a true flow")
        for words in (("picture.blend=0.5",), ("output.file=o.h5", "picture.blend=0.5")):
            line = self.refused("flow", 0, "input.first=f0.h5", "input.second=f1.h5", "output.flo=o.flo", *METHOD, *words)
            self.expect_message(line, "'picture.blend':", "there is no picture", "output.png")


if __name__ == "__main__":
    programs, FlowSeries.decks, mpiexec, count_flag = sys.argv[1:]
    FlowSeries.launch_with(programs, mpiexec, count_flag)
    unittest.main(argv=sys.argv[:1])
