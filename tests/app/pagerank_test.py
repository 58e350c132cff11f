# SPDX-License-Identifier: BSD-3-Clause
"""The ranks of tessera-pagerank, computed anew by numpy.

usage: pagerank_test.py FOLDER_OF_PROGRAMS FOLDER_OF_DECKS MPIEXEC COUNT_FLAG
"""
import json
import os
import re
import sys
import unittest

import h5py
import numpy as np

# Python must not write compiled modules beside the sources.
sys.dont_write_bytecode = True

from program_runs import ProgramRuns


def power_iteration(matrix, damping=0.85, tolerance=1e-13):
    """Ranks by a dense matrix of link weights, rows to columns, and the turns that they take."""
    n = len(matrix)
    sums = matrix.sum(axis=1)
    shares = np.divide(matrix, sums[:, None], out=np.zeros_like(matrix), where=sums[:, None] > 0)
    ranks = np.full(n, 1 / n)
    for turn in range(1, 2000):
        following = (1 - damping) / n + damping * (ranks @ shares + ranks[sums == 0].sum() / n)
        change = np.abs(following - ranks).sum()
        ranks = following
        if change <= tolerance:
            return ranks, turn
    raise AssertionError("numpy has not converged")


class PageRank(ProgramRuns):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(5)

    def sample(self, n, links, dangling=0.2):
        """Links of random vertices, some of which have none, with loops and without repeated ones."""
        rows = self.random.integers(0, max(1, int(n * (1 - dangling))), links)
        columns = (self.random.random(links)**2 * n).astype(int)
        return np.unique(np.stack([rows, columns], axis=1), axis=0)

    def write_matrix(self, n, links, numbers=None, field="pattern", symmetry="general", name="graph.mtx", count=None):
        order = self.random.permutation(len(links))
        lines = [f"%%MatrixMarket matrix coordinate {field} {symmetry}", "% a comment", "%", "",
                 f"  {n} {n}\t{len(links) if count is None else count}"]
        for i in order:
            number = "" if numbers is None else f" {numbers[i]!r}"
            lines.append(f"{links[i][0] + 1} {links[i][1] + 1}{number}")
        self.write_text(name, "\n".join(lines) + "\n")

    def write_text(self, name, text):
        with open(self.path(name), "w", newline="", encoding="ascii") as file:
            file.write(text)

    def words(self, *words, **keys):
        given = {"input.file": "graph.mtx", "output.file": "ranks.h5", "tolerance": "1e-13", "threads": "1", **keys}
        return [f"{decks}/default.yaml", *(f"{key}={value}" for key, value in given.items()), *words]

    def ranks(self, ranks, *words, **keys):
        self.output("pagerank", ranks, *self.words(*words, **keys))
        with h5py.File(self.path("ranks.h5")) as file:
            found = file["ranks"][...]
            self.assertEqual(found.dtype, np.float64)
            self.assertAlmostEqual(found.sum(), 1, delta=1e-13)
            return found, dict(file.attrs)

    def expect(self, matrix, *words, damping=0.85, counts=(1, 2, 3, 4), **keys):
        expected, turns = power_iteration(matrix, damping)
        first, attributes = None, None
        for count in counts:
            found, notes = self.ranks(count, *words, damping=damping, **keys)
            np.testing.assert_allclose(found, expected, rtol=1e-11, atol=0)
            self.assertLessEqual(abs(notes["turns"] - turns), 2)
            self.assertLessEqual(notes["change"], 1e-13)
            self.assertEqual(notes["damping"], damping)
            if first is not None:
                self.assertEqual(found.tobytes(), first.tobytes(), f"{count} ranks")
                self.assertEqual(notes, attributes)
            first, attributes = found, notes

    @staticmethod
    def dense(n, links, numbers=None):
        matrix = np.zeros((n, n))
        np.add.at(matrix, (links[:, 0], links[:, 1]), 1 if numbers is None else numbers)
        return matrix

    def test_patterns(self):
        for n, count, damping, ranks in [(300, 2500, 0.85, (1, 2, 3, 4)), (40, 1200, 0.5, (1,))]:
            links = self.sample(n, count)
            self.write_matrix(n, links)
            self.expect(self.dense(n, links), damping=damping, counts=ranks)

    def test_no_links(self):
        self.write_matrix(70000, [])
        found, notes = self.ranks(2)
        np.testing.assert_allclose(found, 1 / 70000, rtol=1e-13)
        self.assertLessEqual(notes["turns"], 2)

    def test_weights(self):
        links = self.sample(200, 1500)
        reals = self.random.random(len(links)) * 10.0**self.random.integers(-5, 6, len(links))
        reals[::17] = 0
        reals = [float(number) for number in reals]
        self.write_matrix(200, links, reals, "real")
        self.expect(self.dense(200, links, reals), counts=(1, 4))
        self.expect(self.dense(200, links), **{"input.weights": "ignore"}, counts=(1,))
        self.write_text("graph.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 2 2\n2 3 1e-400\n1 3 2\n3 1 1\n")
        self.expect(np.array([[0, 2, 2], [0, 0, 0], [1, 0, 0.]]), counts=(2,))
        self.write_text("graph.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 1e400\n2 3 -1\n3 1 nan\n")
        self.expect(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0.]]), counts=(1,), **{"input.weights": "ignore"})
        integers = [int(number) for number in self.random.integers(0, 9, len(links))]
        self.write_matrix(200, links, integers, "integer")
        self.expect(self.dense(200, links, integers), counts=(1,))

    def test_symmetric(self):
        links = self.sample(90, 700)
        links = links[links[:, 0] >= links[:, 1]]
        matrix = self.dense(90, links)
        self.write_matrix(90, links, symmetry="symmetric")
        self.expect(np.maximum(matrix, matrix.T), counts=(2,))

    def test_repeated_links(self):
        links = np.repeat(self.sample(50, 300), 3, axis=0)[::2]
        self.write_matrix(50, links)
        self.expect(self.dense(50, links), counts=(3,))
        self.expect(np.minimum(self.dense(50, links), 1), counts=(3,), **{"input.repeated": "once"})

    def test_more_ranks_than_vertices_and_hubs(self):
        self.write_text("graph.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2")
        self.expect(np.array([[0., 1], [0, 0]]), counts=(4,))
        self.write_text("graph.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 0")
        self.expect(np.zeros((1, 1)), counts=(2,))
        star = np.array([[i, 0] for i in range(1, 100)] + [[0, i] for i in range(1, 100)])
        self.write_matrix(100, star)
        self.expect(self.dense(100, star), counts=(3,))

    def test_ways_to_write_a_matrix(self):
        text = "%%MatrixMarket MATRIX Coordinate Real General\r\n%\r\n3 3 4\r\n\r\n 1\t2 +1e0 \r\n% inside\r\n2 3 2.5\r\n3 1 1.\r\n\r\n3 3 .5"
        self.write_text("graph.mtx", text)
        self.expect(np.array([[0, 1, 0], [0, 0, 2.5], [1, 0, 0.5]]), counts=(2,))

    def test_lists_of_links(self):
        links = self.sample(120, 900)
        for dtype in (np.int64, np.uint8, ">i4", np.uint64):
            self.store("graph.h5", links.astype(dtype), "links")
            n = links.max() + 1
            self.expect(self.dense(n, links), counts=(3,) if dtype == ">i4" else (1,), **{"input.file": "graph.h5"})
        self.expect(self.dense(150, links), counts=(1,), **{"input.file": "graph.h5", "input.vertices": 150})

    def test_the_highest(self):
        links = self.sample(80, 400)
        self.write_matrix(80, links)
        expected, _ = power_iteration(self.dense(80, links))
        printed = self.output("pagerank", 2, *self.words("output.top=5"))
        listed = [int(line.split()[2]) - 1 for line in printed.splitlines() if ". vertex " in line]
        self.assertEqual(listed, list(np.argsort(-expected)[:5]))

    def test_threads_and_checkpoints_change_no_bits(self):
        links = self.sample(500, 4000)
        self.write_matrix(500, links)
        expected, attributes = self.ranks(1)
        found, _ = self.ranks(1, threads=2)
        self.assertEqual(found.tobytes(), expected.tobytes())
        ended = self.ending("pagerank", 2, *self.words("checkpoint.directory=.", "checkpoint.every=10", turns=15))
        self.assertEqual(ended.returncode, 3, ended.stdout + ended.stderr)
        self.assertIn("the loop 'rank' has not converged after 15 turns, change ", ended.stderr)
        found, notes = self.ranks(2, "restart=.")
        self.assertEqual(found.tobytes(), expected.tobytes())
        self.assertEqual(notes, attributes)
        self.assertIn("is of another problem", self.refused("pagerank", None, *self.words("restart=.", damping=0.5)))
        # The same links in another order are the same graph, and as many other links are another one.
        self.write_matrix(500, links)
        found, notes = self.ranks(3, "restart=.")
        self.assertEqual(found.tobytes(), expected.tobytes())
        other = links.copy()
        other[links[:, 1] == 7, 1] = 8
        self.write_matrix(500, other)
        self.expect_other_links()
        self.write_matrix(500, links[:-1])
        refused = self.refused("pagerank", None, *self.words("restart=."))
        self.assertIn(f"'entries of the input: {len(links)}'", refused)
        self.assertIn(f"'entries of the input: {len(links) - 1}'", refused)

    def expect_other_links(self, name="graph.mtx"):
        for ranks in (None, 2):
            self.expect_message(self.refused("pagerank", ranks, *self.words("restart=.", **{"input.file": name})),
                                "'restart':", f"{name} has other links")

    def stop_early(self, name):
        words = self.words("checkpoint.directory=.", "checkpoint.every=2", turns=3, **{"input.file": name})
        ended = self.ending("pagerank", 2, *words)
        self.assertEqual(ended.returncode, 3, ended.stdout + ended.stderr)

    def test_a_restart_with_another_weight_is_refused(self):
        links = self.sample(200, 1500)
        reals = [float(number) for number in self.random.random(len(links))]
        self.write_matrix(200, links, reals, "real")
        expected, _ = self.ranks(1)
        self.stop_early("graph.mtx")
        found, _ = self.ranks(3, "restart=.")
        self.assertEqual(found.tobytes(), expected.tobytes())
        reals[700] = float(np.nextafter(reals[700], 2))
        self.write_matrix(200, links, reals, "real")
        self.expect_other_links()

    def test_a_restart_with_another_list_of_links_is_refused(self):
        links, keys = self.sample(200, 1500), {"input.file": "graph.h5"}
        self.store("graph.h5", links, "links")
        expected, _ = self.ranks(1, **keys)
        self.stop_early("graph.h5")
        # The same links in another order are the same graph.
        self.store("graph.h5", links[::-1], "links")
        found, _ = self.ranks(3, "restart=.", **keys)
        self.assertEqual(found.tobytes(), expected.tobytes())
        # The number of vertices stays as it is, so that only the links tell.
        links[700, 1] = (links[700, 1] + 1) % links.max()
        self.store("graph.h5", links, "links")
        self.expect_other_links("graph.h5")

    def test_what_cannot_be_written_is_noticed_before_the_input_is_read(self):
        # Errors in the entries would be noticed later.
        self.write_text("graph.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 1\nx\n")
        for words, message in ((("output.file=/proc/ranks.h5",), "/proc"), (("checkpoint.directory=graph.mtx",), "graph.mtx"),
                               (("restart=none.h5",), "none.h5")):
            for option in ((), ("--check",)):
                self.assertIn(message, self.refused("pagerank", None, *self.words(*words, *option)))
        self.assertEqual(sorted(os.listdir(self.folder)), ["graph.mtx"])

    def test_graphs_that_need_too_much_memory(self):
        if os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") > 4e11:
            return
        self.write_text("graph.mtx", "%%MatrixMarket matrix coordinate pattern general\n4294967295 4294967295 1\n1 1\n")
        self.store("graph.h5", np.array([[0, 1], [1, 4294967294]]), "links")
        for name, message in (("graph.mtx", "vertices up to 4294967295 and 0 links take some "),
                              ("graph.h5", "vertices up to 4294967294 and 2 links take some ")):
            self.assertIn(f"{name}: {message}", self.refused("pagerank", 2, *self.words(**{"input.file": name})))

    def test_a_limit_of_memory(self):
        self.write_matrix(100, self.sample(100, 800))
        self.assertIn("'memory': a rank needs some", self.refused("pagerank", 2, *self.words("memory=1KiB")))

    def test_what_it_explains_and_reports(self):
        links = self.sample(100, 800)
        self.write_matrix(100, links)
        printed = self.output("pagerank", 2, *self.words("--explain"))
        self.assertRegex(printed, r"rank 0: rows 0 to \d+, \d+ links, \d+ ghosts; sends \d+ numbers in 1 message, receives 1 message\n")
        self.assertIn(f"100 vertices and {len(links)} entries", self.output("pagerank", 1, *self.words("--check")))
        self.write_text("graph.mtx", "%%MatrixMarket matrix coordinate integer general\n100 100 1\n1 100 2\n")
        report = self.output("pagerank", 2, *self.words("--report", "-"))
        self.assertIn("100 vertices, 99 of them without links, 1 link with weights; product", report)
        for word in ("vertices", "product", "ghosts", "seconds_per_turn", "  prepare ", "  turn ", "  end ", "wall_seconds"):
            self.assertIn(word, report)

    def test_a_trace_has_the_turns(self):
        self.write_matrix(100, self.sample(100, 800))
        printed = self.output("pagerank", 2, *self.words("watchdog=60", "--trace", "trace.json"))
        turns = int(re.search("rank: ([0-9]+) turns", printed).group(1))
        with open(self.path("trace.json"), encoding="utf-8") as file:
            events = [event for event in json.load(file)["traceEvents"] if event["ph"] == "X"]
        for rank in (0, 1):
            names = [event["name"] for event in events if event["pid"] == rank]
            self.assertEqual([name for name in names if name in ("prepare", "turn", "end", "finish")],
                             ["prepare", *["turn"] * turns, "end", "finish"])
        self.assertEqual([event["args"]["item"] for event in events if event["name"] == "turn" and event["pid"] == 1],
                         list(range(turns)))

    def refused_text(self, text, *told, ranks=None):
        self.write_text("graph.mtx", text)
        self.expect_message(self.refused("pagerank", ranks, *self.words()), *told)

    def test_bad_matrices(self):
        head = "%%MatrixMarket matrix coordinate pattern general\n"
        real = "%%MatrixMarket matrix coordinate real general\n"
        self.refused_text(head + "%\n3 4 1\n1 1\n", "graph.mtx:3:", "3 x 4", "square")
        self.refused_text(head + "3 3 3\n1 1\n4 2\n2 2\n", "graph.mtx:4:", "(4, 2) is not in the matrix", ranks=2)
        self.refused_text(head + "3 3 3\n1 1\n1 2\n2 0\n", "graph.mtx:5:", "(2, 0) is not in the matrix", ranks=3)
        self.refused_text(head + "3 3 3\n1 1\n1 2\n", "graph.mtx:2:", "announces 3 entries, and 2 follow", ranks=4)
        self.refused_text(head + "3 3 2\n1 1\n1 2\n2 2\n", "graph.mtx:2:", "announces 2 entries, and 3 follow")
        self.refused_text(head + "3 3 2\n1 1\n1\n", "graph.mtx:4: '1'", "a row, a column, and nothing else")
        self.refused_text(head + "3 3 2\n1 1\n1 two\n", "graph.mtx:4: '1 two'", "a row, a column, and nothing else")
        self.refused_text(real + "3 3 2\n1 1 1.5\n1 2\n", "graph.mtx:4: '1 2'", "a row, a column and a number")
        self.refused_text(real + "3 3 2\n1 1 -1.5\n1 2 1\n", "graph.mtx:3: -1.5", "no weight of a link")
        self.refused_text(real + "3 3 2\n1 1 nan\n1 2 1\n", "graph.mtx:3: nan", "no weight of a link")
        self.refused_text(real + "3 3 1\n2 3 1e-300\n", "links from vertex 2", "add up to 1e-300", ranks=2)
        self.refused_text(real + "3 3 2\n1 1 1e400\n1 2 1\n", "graph.mtx:3: inf", "no weight of a link")
        self.refused_text(real.replace("real", "integer") + "3 3 1\n1 2 2.5\n",
                          "graph.mtx:3: '1 2 2.5'", "a row, a column and an integer")
        self.refused_text(head, "graph.mtx:1:", "is the last line", "truncated")
        self.refused_text(head + "3 3\n", "graph.mtx:2:", "three integers")
        self.refused_text(head + "0 0 0\n", "graph.mtx:2:", "has no vertices")
        self.refused_text(head + "5000000000 5000000000 0\n", "graph.mtx:2:", "5000000000 vertices", "4294967295")
        self.refused_text(head.replace("pattern", "complex") + "1 1 0\n", "graph.mtx:1:", "'complex'", "no weights of links")
        self.refused_text(head.replace("general", "skew-symmetric") + "1 1 0\n",
                          "graph.mtx:1:", "'skew-symmetric'", "store the matrix as general")
        self.refused_text(head.replace("coordinate", "array") + "1 1\n", "graph.mtx:1: 'array' is not read", "coordinates")

    def test_other_bad_files(self):
        self.expect_message(self.refused("pagerank", None, *self.words()), "graph.mtx", "cannot be read: No such file")
        self.assertIn("/dev/null is no regular file", self.refused("pagerank", None, *self.words(**{"input.file": "/dev/null"})))
        self.write_text("graph.mtx", "1 2\n")
        self.expect_message(self.refused("pagerank", 2, *self.words()), "neither a Matrix Market file", "nor HDF5")
        keys = {"input.file": "graph.h5"}
        self.store("graph.h5", np.zeros((5, 3), int), "links")
        self.assertIn("a list of links has two columns", self.refused("pagerank", None, *self.words(**keys)))
        self.store("graph.h5", np.zeros((5, 2)), "links")
        self.expect_message(self.refused("pagerank", None, *self.words(**keys)), "'links' is of float64", "vertices are integers")
        self.store("graph.h5", np.array([[0, 1], [1, -1]]), "links")
        self.expect_message(self.refused("pagerank", None, *self.words(**keys)), "row 1", "the vertex -1")
        self.store("graph.h5", np.array([[0, 1], [1, 7]]), "links")
        self.expect_message(self.refused("pagerank", 2, *self.words(**keys, **{"input.vertices": 4})),
                            "row 1", "the vertex 7", "0 to 3")


programs, decks, launcher, count_flag = sys.argv[1:]
PageRank.launch_with(programs, launcher, count_flag)
unittest.main(argv=sys.argv[:1])
