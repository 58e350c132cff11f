# SPDX-License-Identifier: BSD-3-Clause
"""tessera-kmeans against scikit-learn's KMeans, from the same first centres.

usage: kmeans_sklearn_test.py FOLDER_OF_PROGRAMS FOLDER_OF_DECKS MPIEXEC COUNT_FLAG
"""
import sys
import unittest

import numpy as np
from sklearn.cluster import KMeans

# Python must not write compiled modules beside the sources.
sys.dont_write_bytecode = True

from program_runs import ProgramRuns


class AgainstScikitLearn(ProgramRuns):
    def test_the_same_labels(self):
        # The groups overlap, so that Lloyd's algorithm takes many turns and the clusters have borders with points.
        for count, dimensions, clusters, dtype, ranks in ((3000, 2, 7, np.float64, 1), (2000, 16, 12, np.float32, 2),
                                                          (1500, 100, 20, np.float64, 3), (1200, 70, 5, np.float32, 4)):
            random = np.random.default_rng(count)
            groups = random.integers(0, clusters, count)
            points = 0.4 * random.normal(size=(clusters, dimensions))[groups] + random.normal(size=(count, dimensions))
            points = points.astype(dtype)
            start = points[:clusters].copy()
            expected = KMeans(clusters, init=start, n_init=1, algorithm="lloyd", tol=0, max_iter=300).fit(points)
            self.store("points.h5", points)
            self.store("start.h5", start)
            words = [f"{self.decks}/default.yaml", "input.file=points.h5", "input.centres=start.h5", f"clusters={clusters}"]
            self.output("kmeans", ranks, *words, "output.file=clusters.h5")
            np.testing.assert_array_equal(self.stored("clusters.h5", "labels"), expected.labels_)
            np.testing.assert_allclose(self.stored("clusters.h5", "centres"), expected.cluster_centers_,
                                       rtol=1e-4 if dtype == np.float32 else 1e-9,
                                       atol=1e-4 if dtype == np.float32 else 1e-12)
            np.testing.assert_allclose(self.stored("clusters.h5", "inertia"), [expected.inertia_], rtol=1e-5)
            self.assertGreater(expected.n_iter_, 5)


if __name__ == "__main__":
    programs, AgainstScikitLearn.decks, mpiexec, count_flag = sys.argv[1:]
    AgainstScikitLearn.launch_with(programs, mpiexec, count_flag)
    unittest.main(argv=sys.argv[:1])
