# SPDX-License-Identifier: BSD-3-Clause
"""tessera-stereo with its filter and its tests of matches, beside an independent implementation by numpy.

usage: stereo_reference_test.py FOLDER_OF_PROGRAMS FOLDER_OF_DECKS MPIEXEC COUNT_FLAG
"""
import os
import sys
import unittest

import numpy as np

# Python must not write compiled modules beside the sources.
sys.dont_write_bytecode = True

from program_runs import ProgramRuns


def filtered(image, cap):
    padded = np.pad(image.astype(np.int64), ((1, 1), (1, 1), (0, 0)), mode="edge")
    columns = padded[:-2] + 2 * padded[1:-1] + padded[2:]
    return np.clip(columns[:, 2:] - columns[:, :-2], -cap, cap) + cap


def errors_of(reference, matches, step, window, disparities, cost):
    """The error of each disparity, of matches with the baselines 1, 2 and so on."""
    height, width = reference.shape[:2]
    reach = window // 2
    rows, columns = (np.clip(np.arange(-reach, extent + reach), 0, extent - 1) for extent in (height, width))
    result = np.zeros((disparities, height, width), np.int64)
    for d in range(disparities):
        differences = np.zeros((height, width), np.int64)
        for i, match in enumerate(matches):
            places = np.clip(np.arange(width) + step * (i + 1) * d, 0, width - 1)
            difference = abs(reference - match[:, places])
            differences += (difference if cost == "absolute" else difference ** 2).sum(axis=2)
        differences = differences[rows][:, columns]
        windows = np.lib.stride_tricks.sliding_window_view(differences, (window, window))
        result[d] = windows.sum(axis=(2, 3))
    return result


def disparities_of(images, window, disparities, cap=None, uniqueness=None, tolerance=None, cost="squared"):
    """The disparities, which are -1 where they are invalid."""
    images = [image.reshape(*image.shape[:2], -1) for image in images]
    images = [filtered(image, cap) if cap else image.astype(np.int64) for image in images]
    errors = errors_of(images[0], images[1:], -1, window, disparities, cost)
    found = errors.argmin(axis=0)
    valid = np.ones(found.shape, bool)
    if uniqueness is not None:
        least = errors.min(axis=0)
        for d in range(disparities):
            valid &= (abs(found - d) <= 1) | (100 * errors[d] > (100 + uniqueness) * least)
    if tolerance is not None:
        back = errors_of(images[1], images[:1], 1, window, disparities, cost).argmin(axis=0)
        places = np.arange(found.shape[1]) - found
        seen = np.take_along_axis(back, np.maximum(places, 0), axis=1)
        valid &= (places >= 0) & (abs(seen - found) <= tolerance)
    return np.where(valid, found, -1)


class StereoReference(ProgramRuns):
    def scene(self, shape, kind, count=2, seed=0):
        """A noisy scene, so that some matches are unique and others are not."""
        random = np.random.default_rng(seed + sum(shape) + count)
        dots = random.integers(0, np.iinfo(kind).max // 2, (shape[0], shape[1] + 3 * count, *shape[2:]))
        dots[shape[0] // 2:, 10:] //= 16
        images = []
        for i in range(count):
            view = dots[:, 3 * i:3 * i + shape[1]] + random.integers(0, np.iinfo(kind).max // 16, shape)
            images.append(view.astype(kind))
            self.store(f"image{i}.h5", np.moveaxis(images[-1], range(2, view.ndim), range(view.ndim - 2)))
        return images

    def words(self, count, *more):
        matches = ", ".join(f"image{i}.h5" for i in range(1, count))
        return [f"{self.decks}/default.yaml", "input.reference=image0.h5", f"input.matches=[{matches}]", "threads=1", *more]

    def expect(self, images, ranks, words=(), **settings):
        keys = {"cap": "prefilter_cap", "uniqueness": "uniqueness", "tolerance": "check.tolerance", "window": "window",
                "disparities": "disparities", "cost": "cost"}
        given = [f"{keys[name]}={value}" for name, value in settings.items()]
        if "cap" in settings:
            given.append("prefilter=sobel")
        self.output("stereo", ranks, *self.words(len(images), *given, "output.file=found.h5", *words))
        expected = disparities_of(images, **settings)
        difference = np.argwhere(self.stored("found.h5") != expected)
        self.assertEqual(len(difference), 0, (ranks, words, settings, difference[:3]))
        return expected

    def test_finds_what_the_reference_finds(self):
        images = self.scene((23, 41), np.uint8)
        invalid = [np.sum(self.expect(images, 0, window=5, disparities=12, **more) < 0)
                   for more in ({"cap": 31}, {"uniqueness": 10}, {"cap": 31, "uniqueness": 10, "cost": "absolute"},
                                {"cap": 7, "uniqueness": 25, "tolerance": 1})]
        self.assertEqual(invalid[0], 0)
        for count in invalid[1:]:
            self.assertGreater(count, 20)
            self.assertLess(count, 900)
        for shape in ((1, 1), (1, 9), (7, 1), (5, 8, 3)):
            for kind in (np.uint8, np.uint16):
                self.expect(self.scene(shape, kind), 0, window=3, disparities=min(shape[1], 6), cap=31, uniqueness=5)
        self.expect(self.scene((9, 30), np.uint16), 0, window=3, disparities=9, cap=32767)
        self.expect(self.scene((9, 30, 3), np.uint16), 0, window=5, disparities=9, cost="absolute")
        self.expect(self.scene((9, 30), np.uint8, count=4), 0, window=3, disparities=7, cap=300, uniqueness=0)

    def test_every_allocation_finds_the_same_on_all_ranks(self):
        images = self.scene((25, 37), np.uint8, count=3)
        settings = {"window": 5, "disparities": 9, "cap": 31, "uniqueness": 15, "tolerance": 1, "cost": "absolute"}
        for ranks, blocks, allocation in ((1, 2, "mixed"), (2, 3, "data"), (3, 9, "task"), (4, 4, "mixed"), (4, 1, "whole")):
            words = (f"blocks={blocks}", f"program.allocation={allocation}")
            self.expect(images, ranks, words, **settings)
            settings["cost"] = "squared" if settings["cost"] == "absolute" else "absolute"

    def test_a_series_has_the_bits_of_its_images(self):
        expected = {}
        for pair in range(3):
            images = self.scene((23, 41), np.uint8, seed=pair)
            for side, name in enumerate(("left", "right")):
                os.makedirs(self.path(name), exist_ok=True)
                os.replace(self.path(f"image{side}.h5"), self.path(f"{name}/{pair}.h5"))
            expected[f"of_{pair}.h5"] = disparities_of(images, 5, 8, cap=31, uniqueness=20)
        mixed = "program.allocation=mixed"
        for ranks, words in ((2, ()), (3, ("blocks=2", mixed)), (4, ("blocks=4", mixed))):
            self.output("stereo", ranks, f"{self.decks}/default.yaml", "input.files=left/*.h5", "input.matches=[right/*.h5]",
                        "prefilter=sobel", "uniqueness=20", "disparities=8", "window=5", "threads=1", "output.files=of_{name}.h5",
                        *words)
            for name, disparities in expected.items():
                self.assertTrue(np.array_equal(self.stored(name, "disparity"), disparities), (ranks, words, name))
                os.remove(self.path(name))

    def test_the_deck_for_photographs_runs_without_its_filter(self):
        images = self.scene((23, 41), np.uint8)
        settings = {"window": 5, "disparities": 8, "uniqueness": 15, "cost": "absolute"}
        for filtering, cap in (("sobel", 31), ("none", None)):
            self.output("stereo", 2, f"{self.decks}/filtered.yaml", *self.words(2)[1:], "window=5", "disparities=8",
                        f"prefilter={filtering}", "output.file=found.h5")
            self.assertTrue(np.array_equal(self.stored("found.h5"), disparities_of(images, cap=cap, **settings)), filtering)

    def test_bad_input(self):
        self.scene((9, 20), np.uint8)

        def expect_refused(words, *told, count=2):
            self.expect_message(self.refused("stereo", 2, *self.words(count, "output.file=o.h5", *words)), *told)

        expect_refused(["prefilter=gauss"], "'prefilter' expects", "got 'gauss'")
        expect_refused(["cost=none"], "'cost' expects", "got 'none'")
        expect_refused(["prefilter_cap=31"], "'prefilter_cap':", "there is no prefilter")
        for cap in ("0", "-1", "32768", "1.5"):
            expect_refused(["prefilter=sobel", f"prefilter_cap={cap}"], "'prefilter_cap' expects", f"got '{cap}'")
        for percentage in ("-1", "1001", "0.5", "often"):
            expect_refused([f"uniqueness={percentage}"], "'uniqueness' expects", f"got '{percentage}'")
        self.scene((9, 20, 18), np.uint16, count=9)
        expect_refused(["window=31"], "'input.reference':", "errors may be too large", "cost=absolute", count=9)


if __name__ == "__main__":
    programs, StereoReference.decks, mpiexec, count_flag = sys.argv[1:]
    ProgramRuns.launch_with(programs, mpiexec, count_flag)
    unittest.main(argv=sys.argv[:1])
