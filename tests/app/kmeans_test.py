# SPDX-License-Identifier: BSD-3-Clause
"""tessera-kmeans as users run it, against numpy.

usage: kmeans_test.py FOLDER_OF_PROGRAMS FOLDER_OF_DECKS PHOTOGRAPH MPIEXEC COUNT_FLAG
"""
import os
import sys
import unittest

import h5py
import numpy as np

# Python must not write compiled modules beside the sources.
sys.dont_write_bytecode = True

from program_runs import ProgramRuns


def lloyd(points, centres):
    """The labels and centres when the centres stand still."""
    while True:
        labels = np.argmin(((points[:, None, :].astype(np.float64) - centres[None]) ** 2).sum(axis=2), axis=1)
        moved = np.array([points[labels == k].mean(axis=0, dtype=np.float64) if (labels == k).any() else centres[k]
                          for k in range(len(centres))]).astype(centres.dtype)
        if (moved == centres).all():
            return labels, centres
        centres = moved


class KMeans(ProgramRuns):
    deck = "default"

    def points(self, count=600, dimensions=5, dtype=np.float32, seed=1):
        random = np.random.default_rng(seed)
        groups = random.integers(0, 6, count)
        return (random.normal(size=(6, dimensions))[groups] * 4 + random.normal(size=(count, dimensions))).astype(dtype)

    def run_on(self, points, *words, ranks=2):
        self.store("points.h5", points)
        self.printed = self.output("kmeans", ranks, f"{self.decks}/default.yaml", "input.file=points.h5",
                                   "output.file=clusters.h5", *words)
        return {name: self.stored("clusters.h5", name) for name in ("labels", "centres", "counts", "inertia")}

    def expect_consistent(self, points, found):
        """Counts and the inertia are those of the labels and centres."""
        labels, centres = found["labels"], found["centres"].astype(np.float64)
        np.testing.assert_array_equal(found["counts"], np.bincount(labels, minlength=len(centres)))
        np.testing.assert_allclose(found["inertia"], [((points - centres[labels]) ** 2).sum()], rtol=1e-9)

    def test_given_centres(self):
        for dtype in (np.float32, np.float64):
            points = self.points(dtype=dtype)
            start = points[::100].copy()
            self.store("start.h5", start)
            labels, centres = lloyd(points, start)
            found = self.run_on(points, "clusters=6", "input.centres=start.h5", ranks=3)
            np.testing.assert_array_equal(found["labels"], labels)
            np.testing.assert_allclose(found["centres"], centres, rtol=1e-6, atol=1e-6)
            self.expect_consistent(points, found)

    def test_first_centres_are_good_and_the_same_on_all_ranks(self):
        points = self.points(900, 3)
        results = [self.run_on(points, "clusters=6", "seed=2", ranks=ranks) for ranks in (1, 4)]
        for found in results:
            self.expect_consistent(points, found)
            for name, values in found.items():
                np.testing.assert_array_equal(values, results[0][name])
        # Lloyd's turns from the best of several random starts are hardly better. About half of the seeds find as much.
        random = np.random.default_rng(0)
        best = np.inf
        for _ in range(5):
            labels, centres = lloyd(points, points[random.choice(900, 6, replace=False)])
            best = min(best, ((points - centres[labels].astype(np.float64)) ** 2).sum())
        self.assertLess(results[0]["inertia"][0], 1.05 * best)

    def test_empty_clusters_are_told(self):
        points = np.array([[0], [1], [10], [11]], np.float32)
        self.store("start.h5", np.array([[0.5], [1000], [10]], np.float32))
        found = self.run_on(points, "clusters=3", "input.centres=start.h5")
        np.testing.assert_array_equal(found["centres"], np.array([[0.5], [1000], [10.5]], np.float32))
        np.testing.assert_array_equal(found["counts"], [2, 0, 2])
        self.assertRegex(self.printed, r"empty_clusters 1\b")

    def test_a_picture_of_few_colours(self):
        random = np.random.default_rng(5)
        self.store("picture.h5", random.integers(0, 256, (3, 45, 70), np.uint8))
        words = [f"{self.decks}/default.yaml", "input.file=picture.h5", "clusters=5", "turns=4"]
        self.output("kmeans", 2, *words, "output.png=painted.png", "output.file=painted.h5")
        picture, labels = self.stored("painted.h5", "picture"), self.stored("painted.h5", "labels")
        centres = self.stored("painted.h5", "centres")
        np.testing.assert_array_equal(picture, np.moveaxis(np.round(centres).astype(np.uint8)[labels], 2, 0))
        self.output("kmeans", 3, *words, "output.file=again.h5")
        np.testing.assert_array_equal(self.stored("again.h5", "picture"), picture)

    def test_a_grey_photograph(self):
        self.output("kmeans", 2, f"{self.decks}/default.yaml", f"input.file={self.photograph}", "clusters=3",
                    "output.png=painted.png", "output.file=painted.h5", "turns=3")
        labels, centres = self.stored("painted.h5", "labels"), self.stored("painted.h5", "centres")
        np.testing.assert_array_equal(self.stored("painted.h5", "picture"), np.round(centres[labels, 0]).astype(np.uint8))

    def test_it_is_told_whether_the_turns_sufficed(self):
        points = self.points(300, 2, seed=3)
        self.run_on(points, "clusters=6", "turns=1")
        self.assertRegex(self.printed, r"lloyd: 1 turn, .*not converged")
        self.run_on(points, "clusters=6")
        self.assertRegex(self.printed, r"lloyd: \d+ turns, .*, converged")

    def test_bad_input(self):
        def refusal(points, *words):
            self.store("points.h5", points)
            return self.refused("kmeans", 2, f"{self.decks}/default.yaml", "input.file=points.h5",
                                "output.file=clusters.h5", *words)

        points = self.points(20, 2)
        self.assertIn("there are only 20 points: give at most that many", refusal(points, "clusters=21"))
        self.assertIn("there is only 1 point: give at most that many", refusal(points[:1], "clusters=2"))
        self.store("start.h5", points[:3])
        self.assertIn("give 4 rows of 2 coordinates", refusal(points, "clusters=4", "input.centres=start.h5"))
        for wrong in (np.nan, np.inf):
            centres = points[:4].copy()
            centres[2, 1] = wrong
            self.store("start.h5", centres)
            self.assertIn("'input.centres': row 2 of 'start.h5' has a coordinate that is NaN or infinite",
                          refusal(points, "clusters=4", "input.centres=start.h5"))
        large = points[:4].astype(np.float64)
        large[3, 0] = 1e200
        self.store("start.h5", large)
        self.assertIn("row 3 of 'start.h5' has a coordinate of 2^128 or more",
                      refusal(points, "clusters=4", "input.centres=start.h5"))
        self.assertIn("row 3 of 'start.h5' has a coordinate of 2^500 or more",
                      refusal(points.astype(np.float64), "clusters=4", "input.centres=start.h5"))
        self.assertIn("a coordinate of 'points.h5' is 2^500 or more", refusal(points * np.float64(1e200)))
        points[7, 1] = np.nan
        self.assertIn("point 7 of 'points.h5' has a coordinate that is NaN or infinite", refusal(points))
        points[7, 1] = np.inf
        self.assertIn("point 7 of 'points.h5' has a coordinate that is NaN or infinite", refusal(points))

    def test_too_many_clusters_are_refused_before_anything_is_read(self):
        for name, shape, dtype, most in (("rows", (8000, 8000), np.float32, 5592), ("long", (3, 1 << 28), np.float64, 0)):
            with h5py.File(self.path("large.h5"), "w") as file:
                # Chunks that are not written take no place.
                file.create_dataset(name, shape, dtype, chunks=(1, 8000))
            message = self.refused("kmeans", 2, f"{self.decks}/default.yaml", "input.file=large.h5",
                                   "output.file=clusters.h5", f"clusters={shape[0]}")
            self.assertRegex(message, fr"clusters.* take 2 GiB or more: give at most {most}\b")

    def test_checkpoints(self):
        points = self.points(500, 2, seed=3)
        whole = self.run_on(points, "clusters=3", "seed=2")
        os.mkdir(self.path("kept"))
        self.run_on(points, "clusters=3", "seed=2", "turns=2", "checkpoint.directory=kept", "checkpoint.every=2")
        again = self.run_on(points, "clusters=3", "seed=2", "restart=kept", ranks=3)
        for name, values in whole.items():
            np.testing.assert_array_equal(again[name], values)


if __name__ == "__main__":
    programs, KMeans.decks, KMeans.photograph, mpiexec, count_flag = sys.argv[1:]
    KMeans.launch_with(programs, mpiexec, count_flag)
    unittest.main(argv=sys.argv[:1])
