# SPDX-License-Identifier: BSD-3-Clause
"""tessera-stereo on a series of pairs of images.

usage: stereo_series_test.py FOLDER_OF_PROGRAMS FOLDER_OF_DECKS MPIEXEC COUNT_FLAG
"""
import os
import sys
import unittest

import numpy as np

# Python must not write compiled modules beside the sources.
sys.dont_write_bytecode = True

from program_runs import ProgramRuns

COUNT = 5


class StereoSeries(ProgramRuns):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(33)
        for folder in ("left", "right", "far"):
            os.mkdir(self.path(folder))
        for i in range(COUNT):
            # The points of the first image lie 3 and 6 pixels further left in the others.
            dots = random.integers(0, 256, (23 + i % 2, 47)).astype(np.uint8)
            for folder, shift in (("left", 0), ("right", 3), ("far", 6)):
                self.store(f"{folder}/{i + 8}.h5", dots[:, shift:shift + 41])

    def words(self, *more):
        return [f"{self.decks}/default.yaml", "disparities=8", "window=5", "threads=2", *more]

    def series(self, *more):
        return self.words("input.files=left/*.h5", "output.files=found/{name}.h5", *more)

    def found(self):
        names = sorted(os.listdir(self.path("found")), key=lambda name: int(name[:-3]))
        results = {name: self.stored(f"found/{name}", "disparity") for name in names}
        for name in names:
            os.remove(self.path(f"found/{name}"))
        return results

    def expected(self, folders):
        results = {}
        for i in range(8, 8 + COUNT):
            matches = ", ".join(f"{folder}/{i}.h5" for folder in folders)
            self.output("stereo", 0, *self.words(f"input.reference=left/{i}.h5", f"input.matches=[{matches}]", "output.file=o.h5"))
            results[f"{i}.h5"] = self.stored("o.h5", "disparity")
        return results

    def expect_same(self, found, expected, where):
        self.assertEqual(list(found), list(expected), where)
        for name, image in expected.items():
            self.assertTrue(np.array_equal(found[name], image), (where, name))

    def test_every_pair_has_the_bits_of_a_single_run(self):
        one, two = self.expected(["right"]), self.expected(["right", "far"])
        self.assertEqual(set(one["8.h5"][5:, 20:35].ravel()), {3})
        for ranks in (1, 2, 3):
            self.output("stereo", ranks, *self.series('input.matches=["right/*.h5"]'))
            self.expect_same(self.found(), one, ranks)
            self.output("stereo", ranks, *self.series('input.matches=["right/*.h5", "far/*.h5"]', "blocks=2", "graph.window=1"))
            self.expect_same(self.found(), two, ranks)
        self.output("stereo", 2, *self.series('input.matches=["right/*.h5", "far/*.h5"]', "graph.stereo.on=kernels"))
        self.expect_same(self.found(), two, "kernels")

    def test_results_name_their_images(self):
        import h5py
        self.output("stereo", 0, *self.series('input.matches=["right/*.h5"]'))
        with h5py.File(self.path("found/9.h5")) as file:
            self.assertEqual((file.attrs["input"], file.attrs["match_1"]), ("left/9.h5", "right/9.h5"))

    def test_checks_and_explains(self):
        words = self.series('input.matches=["right/*.h5"]')
        self.assertIn("5 images can be read, and would become found/8.h5 to found/12.h5", self.output("stereo", 2, *words, "--check"))
        self.assertIn("read match_1", self.output("stereo", 0, *words, "--explain"))

    def test_bad_input(self):
        def refused(*more, ranks=2):
            return self.refused("stereo", ranks, *self.series(*more))

        self.expect_message(refused('input.matches=["right/1*.h5"]'), "'input.matches':", "gives 3 files", "5 files")
        self.expect_message(refused('input.matches=["right/*.png"]'), "'input.matches':", "no file matches 'right/*.png'")
        self.expect_message(refused("input.matches=[" + ", ".join(['"right/*.h5"'] * 9) + "]"),
                            "'input.matches':", "it names 9 files")
        self.expect_message(refused('input.matches=["right/*.h5"]', "input.reference=left/8.h5"),
                            "'input.reference':", "'input.files' is given, too")
        self.expect_message(refused('input.matches=["right/*.h5"]', "output.files=right/{name}.h5"),
                            "'output.files':", "right/8.h5 is an image of the series")
        self.assertIn("'input.video'", refused('input.matches=["right/*.h5"]', "input.video=a.mkv"))
        self.store("right/10.h5", np.zeros((7, 41), np.uint8))
        for more in ([], ["--check"]):
            self.expect_message(refused('input.matches=["right/*.h5"]', *more), "right/10.h5 is [0, 41) x [0, 7)")
        self.store("right/10.h5", np.zeros((23, 41), np.uint16))
        self.expect_message(refused('input.matches=["right/*.h5"]'), "right/10.h5", "of uint16")
        skipped = self.ending("stereo", 2, *self.series('input.matches=["right/*.h5"]', "on_error=skip"))
        self.assertEqual(skipped.returncode, 2)
        self.assertIn("left out left/10.h5: the image of right/10.h5", skipped.stderr)
        self.assertEqual(len(self.found()), COUNT - 1)


if __name__ == "__main__":
    programs, StereoSeries.decks, mpiexec, count_flag = sys.argv[1:]
    ProgramRuns.launch_with(programs, mpiexec, count_flag)
    unittest.main(argv=sys.argv[:1])
