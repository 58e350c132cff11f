# SPDX-License-Identifier: BSD-3-Clause
"""Series of images whose pipelines are divided into tasks on groups of ranks.

usage: streams_test.py FOLDER_OF_PROGRAMS FOLDER_OF_DECKS TEST_PROGRAM MPIEXEC COUNT_FLAG
"""
import json
import os
import re
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree

import h5py
import numpy as np

# Python must not write compiled modules beside the sources.
sys.dont_write_bytecode = True

from program_runs import ProgramRuns

COUNT = 7


class Streams(ProgramRuns):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(35)
        for folder in ("in", "right"):
            os.mkdir(self.path(folder))
        for i in range(COUNT):
            dots = random.integers(0, 256, (37, 61)).astype(np.uint8)
            self.store(f"in/{i + 7}.h5", dots[:, :53])
            self.store(f"right/{i + 7}.h5", dots[:, 4:57])

    def chain(self, *more):
        return [f"{self.decks}/chain/joined_edges.yaml", "input.files=in/*.h5", "output.files=out/{name}.h5", "threads=1", *more]

    def stereo(self, *more):
        return [f"{self.decks}/stereo/default.yaml", "input.files=in/*.h5", 'input.matches=["right/*.h5"]', "disparities=8",
                "window=5", "blocks=2", "output.files=out/{name}.h5", "threads=1", *more]

    def names_in(self, folder):
        """The results, without the ledger that a series leaves when it is ended."""
        return sorted(name for name in os.listdir(self.path(folder)) if not name.startswith("."))

    def results(self, dataset):
        results = {}
        for name in self.names_in("out"):
            results[name] = self.stored(f"out/{name}", dataset)
            os.remove(self.path(f"out/{name}"))
        return results

    def expect_same(self, found, expected, where):
        self.assertEqual(list(found), list(expected), where)
        for name, image in expected.items():
            self.assertTrue(np.array_equal(found[name], image), (where, name))

    def expect_every_allocation(self, program, words, dataset):
        self.output(program, 0, *words("program.allocation=whole"))
        expected = self.results(dataset)
        self.assertEqual(len(expected), COUNT)
        # Allocations take turns, so that each is tried on several numbers of ranks.
        for ranks, allocations in ((1, ("mixed",)), (2, ("data", "task", "mixed")), (3, ("mixed",)), (4, ("mixed", "auto"))):
            for allocation in allocations:
                text = self.output(program, ranks, *words(f"program.allocation={allocation}"))
                self.assertIn(f"wrote {COUNT} images", text)
                self.expect_same(self.results(dataset), expected, (ranks, allocation))
        self.output(program, 3, *words("program.allocation=mixed", "graph.window=1"))
        self.expect_same(self.results(dataset), expected, "window")

    def test_a_chain_has_the_bits_of_single_runs(self):
        self.expect_every_allocation("chain", self.chain, "edges")

    def test_stereo_has_the_bits_of_single_runs(self):
        self.expect_every_allocation("stereo", self.stereo, "disparity")

    def test_explains_and_estimates_the_period(self):
        with open(self.path("costs.yaml"), "w", encoding="utf-8") as file:
            file.write("tasks: {laplace: {1: 4}, sobel: {1: 4}, smooth: {1: 2}, edges: {1: 2}}\n")
        words = self.chain("program.allocation=mixed", "program.costs=costs.yaml", "--ranks", "2")
        for option in ("--explain", "--estimate"):
            text = self.output("chain", 0, *words, option)
            self.assertRegex(text, r"period 6 s \(0\.1667 items per second\), latency [0-9.]+ s")
        self.assertIn("estimated to take 6e+03 ms for each image (0.1667 images per second)",
                      self.output("chain", 0, *words, "--explain"))
        self.assertIn("7 images can be read, and would become out/7.h5 to out/13.h5", self.output("chain", 0, *words, "--check"))
        self.output("chain", 0, *words, "--explain", "--save-plan", "a.json")
        self.output("chain", 0, *self.chain("program.allocation=whole"))
        expected = self.results("edges")
        self.assertIn("allocation from a.json", self.output("chain", 2, *self.chain("program.allocation=a.json")))
        self.expect_same(self.results("edges"), expected, "a.json")

    def test_reports_the_period(self):
        self.output("chain", 2, *self.chain("program.allocation=mixed", "program.chart=chart.svg", "--report", "r.json"))
        with open(self.path("r.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual(report["series"]["written"], COUNT)
        self.assertGreater(report["program"]["period_seconds"], 0)
        self.assertGreater(report["program"]["estimated_period_seconds"], 0)
        self.assertEqual(sorted(task["task"] for task in report["tasks"]), ["edges", "laplace", "smooth", "sobel"])
        xml.etree.ElementTree.parse(self.path("chart.svg"))
        with h5py.File(self.path("out/8.h5")) as file:
            self.assertEqual((file.attrs["input"], file.attrs["ranks"]), ("in/8.h5", 2))
            self.assertIn('files: ["in/*.h5"]', file.attrs["deck"])
            self.assertNotIn("in/7.h5", file.attrs["deck"])

    def test_auto_says_that_nothing_is_divided(self):
        with open(self.path("costs.yaml"), "w", encoding="utf-8") as file:
            file.write("tasks: {laplace: {1: 1}, sobel: {1: 1}, smooth: {1: 1}, edges: {1: 1}, whole: {1: 1}}\n")
        text = self.output("chain", 2, *self.chain("program.costs=costs.yaml"))
        self.assertIn("the undivided pipeline is estimated to take 500 ms for each image, as ranks compute images of their own, "
                      "and is not divided", text)
        self.assertEqual(len(self.results("edges")), COUNT)
        for quiet in ([], ["--quiet"]):
            text = self.output("chain", 2, *self.chain("program.costs=costs.yaml"), "--estimate", *quiet)
            self.assertIn("the undivided pipeline is estimated to take 500 ms for each image", text)
            self.assertEqual(self.results("edges"), {})
        less = self.chain("program.costs=costs.yaml", "memory=12K", "graph.window=1")
        self.assertIn("as ranks compute images of their own, but needs 19.8 KiB on each rank, which may use 12.0 KiB",
                      self.output("chain", 0, *less, "--explain", "--ranks", "8"))
        self.assertIn("but may use 12.0 KiB", self.refused("chain", 2, *less))
        text = self.output("chain", 0, *less[:-2], "memory=10K", "--explain", "--ranks", "8")
        self.assertRegex(text, r"all ranks compute each task, with graph.window=1: rank 0 needs .* but may use 10.0 KiB")
        self.output("chain", 2, *self.chain("program.costs=costs.yaml"), "--trace", "trace.json")
        self.assertEqual(len(self.results("edges")), COUNT)
        self.assertIn("and is not divided", self.output("chain", 2, *self.chain("program.costs=costs.yaml", "watchdog=60")))
        self.assertEqual(len(self.results("edges")), COUNT)
        for more in (["program.chart=chart.svg"], ["--explain", "--save-plan", "a.json"]):
            self.expect_message(self.refused("chain", 2, *self.chain("program.costs=costs.yaml", *more)),
                                "the series is not divided", "program.allocation=mixed")

    def test_less_memory_holds_fewer_images(self):
        os.mkdir(self.path("large"))
        for i in range(COUNT):
            self.store(f"large/{i}.h5", np.random.default_rng(i).integers(0, 256, (61, 83)).astype(np.uint8))
        with open(self.path("costs.yaml"), "w", encoding="utf-8") as file:
            file.write("tasks: {laplace: {1: 1}, sobel: {1: 1}, smooth: {1: 1}, edges: {1: 1}, whole: {1: 99}}\n")
        words = self.chain("input.files=large/*.h5", "program.costs=costs.yaml")
        self.output("chain", 2, *words[:-1], "program.allocation=whole")
        expected = self.results("edges")
        text = self.output("chain", 4, *words, "memory=42K")
        self.assertRegex(text, "all ranks compute each task, with graph.window=1: rank 0 needs .* but may use 42.0 KiB")
        self.expect_same(self.results("edges"), expected, "42K")
        self.assertIn("but may use 42.0 KiB", self.refused("chain", 4, *words, "memory=42K", "graph.window=4"))

    def break_points(self, name):
        """Damages the points of a compressed image, but not its header."""
        with h5py.File(self.path(name), "w") as file:
            file.create_dataset("image", data=np.arange(37 * 53).reshape(37, 53).astype(np.uint8), chunks=(37, 53), compression=9)
            chunk = file["image"].id.get_chunk_info(0)
        with open(self.path(name), "r+b") as file:
            file.seek(chunk.byte_offset + 10)
            file.write(b"\xff" * (chunk.size - 10))

    def test_a_file_that_cannot_be_read_ends_all_ranks_with_one_line(self):
        self.break_points("in/10.h5")
        for ranks, program, words in ((1, "chain", self.chain), (2, "stereo", self.stereo), (4, "chain", self.chain)):
            self.assertIn("in/10.h5", self.refused(program, ranks, *words("program.allocation=mixed")))
            left = set(os.listdir(self.path("out")))
            self.assertNotIn("10.h5", left)
            self.assertLessEqual({"7.h5", "8.h5", "9.h5"}, left)
            self.results(None)
        ended = self.ending("stereo", 3, *self.stereo("program.allocation=mixed", "on_error=skip"))
        self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
        self.assertEqual(len(re.findall("left out .*in/10.h5", ended.stderr)), 1, ended.stderr)
        self.assertEqual(len(self.results(None)), COUNT - 1)

    def test_lines_name_the_image_of_the_series(self):
        self.break_points("right/9.h5")
        for ranks, more in ((2, []), (1, ["on_error=skip"])):
            ended = self.ending("stereo", ranks, *self.stereo("program.allocation=mixed", *more))
            self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
            self.assertIn("in/9.h5: right/9.h5", ended.stderr)

    def test_the_first_image_may_be_left_out(self):
        for name in ("in/7.h5", "right/8.h5"):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write("nothing")
        words = self.stereo("program.allocation=mixed", "on_error=skip")
        ended = self.ending("stereo", 2, *words, "--report", "r.json")
        self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
        for line in ("left out in/7.h5", "left out in/8.h5: right/8.h5"):
            self.assertEqual(len(re.findall(line, ended.stderr)), 1, ended.stderr)
        self.assertEqual(sorted(self.results(None)), ["10.h5", "11.h5", "12.h5", "13.h5", "9.h5"])
        with open(self.path("r.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["series"]["left_out"], 2)
        checked = self.output("stereo", 0, *words, "--check", "--ranks", "2")
        self.assertEqual(len(re.findall("would leave out in/[78].h5", checked)), 2, checked)
        self.assertIn("5 images can be read, and would become out/9.h5 to out/13.h5", checked)
        self.assertIn("in/7.h5", self.refused("stereo", 2, *self.stereo("program.allocation=mixed")))

    def test_numbers_that_are_not_finite(self):
        os.mkdir(self.path("floats"))
        for i in range(COUNT):
            image = np.full((8, 9), i, np.float32)
            if i in (0, 4):
                image[5, 3] = np.nan
            self.store(f"floats/{i}.h5", image)
        words = ("finite", "output.files=out/{name}.h5", "groups={a: [first], b: [second]}", "program.allocation=mixed", "threads=1")
        refused = "floats/{}.h5 has no finite number at (3, 5): give one of finite numbers"
        for ranks, files, broken in ((1, "floats/*.h5", 0), (3, "floats/[1-6].h5", 4)):
            message = self.refused(self.test_program, ranks, *words, f"input.files={files}")
            # The file is named before this, too, if a task finds the fault.
            self.assertIn(f"'input.files': {refused.format(broken)}", message)
        ended = self.ending(self.test_program, 2, *words, "input.files=floats/*.h5", "on_error=skip")
        self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
        for broken in (0, 4):
            lines = [line for line in ended.stderr.splitlines() if f"left out floats/{broken}.h5" in line]
            self.assertEqual(len(lines), 1, ended.stderr)
            self.assertIn(refused.format(broken), lines[0])
        found = self.results("second")
        none = self.refused(self.test_program, 2, *words, "input.files=floats/[04].h5", "on_error=skip")
        self.assertIn(refused.format(0), none)
        self.assertEqual(list(found), [f"{i}.h5" for i in (1, 2, 3, 5, 6)])
        self.assertTrue(np.array_equal(found["3.h5"], np.full((8, 9), 3, np.float32)))

    def test_a_trace_has_the_images_of_every_task(self):
        self.output("chain", 3, *self.chain("program.allocation=mixed", "watchdog=60 s", "--trace", "t.json", "--report", "r.json"))
        self.assertEqual(len(self.results("edges")), COUNT)
        with open(self.path("t.json"), encoding="utf-8") as file:
            events = [event for event in json.load(file)["traceEvents"] if event["ph"] == "X"]
        with open(self.path("r.json"), encoding="utf-8") as file:
            report = json.load(file)
        tasks = [task["task"] for task in report["tasks"]]
        self.assertIn("plan", {event["name"] for event in events if event["cat"] == "phase"})
        steps = {row["step"]: row["slowest_seconds"] for row in report["steps"]}
        for step in ("plan", "laplace: compute lines", "edges: write"):
            self.assertGreater(steps[step], 0)
        self.assertNotIn("laplace: write", steps)
        self.assertGreater(report["totals"]["wall_seconds"], report["series"]["seconds"])
        self.assertEqual(sorted(tasks), ["edges", "laplace", "smooth", "sobel"])
        for name in (*tasks, "edges: write"):
            items = {}
            for event in events:
                if event["name"] == name:
                    items.setdefault(event["pid"], []).append(event["args"]["item"])
            self.assertTrue(items, name)
            self.assertEqual(list(items.values()), [list(range(COUNT))] * len(items), name)
        for rank in range(3):
            # An event of a whole task encloses those of its parts.
            mine = [event for event in events if event["pid"] == rank and event["cat"] != "task"]
            self.assertTrue(mine, rank)
            for before, after in zip(mine, mine[1:]):
                self.assertLessEqual(before["ts"] + before["dur"], after["ts"] + 1e-3)
        self.expect_message(self.refused("chain", 2, *self.chain("program.allocation=mixed", "program.chart=t.json", "--trace", "t.json")),
                            "program.chart t.json:", "uses this file already")

    def test_nothing_may_be_left(self):
        for i in range(COUNT):
            self.break_points(f"in/{i + 7}.h5")
        ended = self.ending("chain", 2, *self.chain("program.allocation=mixed", "on_error=skip"))
        self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
        self.assertIn("wrote 0 images in 0.00 s, 0.0 per second", ended.stdout)
        self.assertEqual(len(re.findall("left out in/", ended.stderr)), COUNT, ended.stderr)

    def test_a_signal_ends_a_series(self):
        count = 1000
        for i in range(100, 100 + count - COUNT):
            os.symlink(self.path("in/7.h5"), self.path(f"in/{i}.h5"))
        words = [f"{self.programs}/tessera-chain", *self.chain("program.allocation=mixed")]
        with subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            while process.poll() is None and not os.path.exists(self.path("out/8.h5")):
                time.sleep(0.01)
            process.terminate()
            errors = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 4, errors)
        written = len(self.names_in("out"))
        self.assertLess(written, count)
        self.assertIn(f"a signal has ended the series after {written} of {count} images", errors)

    def test_bad_input(self):
        def refused(*more, ranks=2):
            return self.refused("chain", ranks, *self.chain("program.allocation=mixed", *more))

        self.expect_message(refused("graph.read.workers=1"), "'graph.read.workers':", "not divided")
        self.expect_message(refused("program.profile=p.yaml"), "'program.profile':", "measured with one image")
        self.assertIn("'bands': a series on groups", refused("bands=2"))
        line = refused("memory=20K")
        self.assertIn("but may use 20.0 KiB", line)
        self.assertIn("give tasks more ranks, or more memory, or write a smaller graph.window", line)
        self.assertNotIn("graph.window", refused("memory=10K", "graph.window=1"))
        self.store("right/9.h5", np.zeros((7, 53), np.uint8))
        line = self.refused("stereo", 2, *self.stereo("program.allocation=mixed"))
        self.expect_message(line, "right/9.h5 is [0, 53) x [0, 7)", "one of the same extents")
        self.store("in/9.h5", np.zeros((7, 53), np.uint8))
        line = ("the image of in/9.h5 is [0, 53) x [0, 7) of uint8, but that of in/7.h5 [0, 53) x [0, 37) of uint8: give one of "
                "the same extents and type, or write program.allocation=whole, with which images may differ")
        for more in ([], ["--check"]):
            self.expect_message(refused(*more), line)
        ended = self.ending("chain", 2, *self.chain("program.allocation=mixed", "on_error=skip"))
        self.assertEqual(ended.returncode, 2)
        self.assertIn(f"left out in/9.h5: {line}", ended.stderr)
        self.assertEqual(len(self.results("edges")), COUNT - 1)


if __name__ == "__main__":
    programs, Streams.decks, Streams.test_program, mpiexec, count_flag = sys.argv[1:]
    Streams.launch_with(programs, mpiexec, count_flag)
    unittest.main(argv=sys.argv[:1])
