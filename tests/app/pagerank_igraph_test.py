# SPDX-License-Identifier: BSD-3-Clause
"""The ranks of tessera-pagerank beside those of igraph's PRPACK.

usage: pagerank_igraph_test.py FOLDER_OF_PROGRAMS FOLDER_OF_DECKS MPIEXEC COUNT_FLAG
"""
import sys
import unittest

import igraph
import numpy as np

# Python must not write compiled modules beside the sources.
sys.dont_write_bytecode = True

from program_runs import ProgramRuns


class BesideIgraph(ProgramRuns):
    def expect(self, n, links, weights=None, damping=0.85):
        """No rank differs by more than 1e-12, on one to four ranks of MPI."""
        with open(self.path("graph.mtx"), "w", encoding="ascii") as file:
            file.write(f"%%MatrixMarket matrix coordinate {'pattern' if weights is None else 'real'} general\n{n} {n} {len(links)}\n")
            for i, (row, column) in enumerate(links):
                file.write(f"{row + 1} {column + 1}{'' if weights is None else f' {weights[i]!r}'}\n")
        graph = igraph.Graph(n=n, edges=[(int(a), int(b)) for a, b in links], directed=True)
        expected = np.array(graph.pagerank(damping=damping, weights=weights))
        for ranks in (1, 2, 3, 4):
            self.output("pagerank", ranks, f"{decks}/default.yaml", "input.file=graph.mtx", "output.file=ranks.h5",
                        "tolerance=1e-14", f"damping={damping}")
            self.assertLessEqual(np.abs(self.stored("ranks.h5") - expected).max(), 1e-12)

    def test_graphs(self):
        random = np.random.default_rng(3)
        for n, count, damping in [(1000, 8000, 0.85), (5000, 20000, 0.5)]:
            links = np.stack([random.integers(0, n * 4 // 5, count), (random.random(count)**3 * n).astype(int)], axis=1)
            self.expect(n, links, damping=damping)
            self.expect(n, links, weights=[float(weight) for weight in random.random(count)], damping=damping)


programs, decks, launcher, count_flag = sys.argv[1:]
BesideIgraph.launch_with(programs, launcher, count_flag)
unittest.main(argv=sys.argv[:1])
