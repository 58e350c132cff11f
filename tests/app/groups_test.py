# SPDX-License-Identifier: BSD-3-Clause
"""Programs whose pipelines are divided into tasks on groups of ranks.

usage: groups_test.py FOLDER_OF_PROGRAMS FOLDER_OF_CHAINS MPIEXEC COUNT_FLAG
"""
import json
import os
import re
import sys
import unittest
import unittest.mock
import xml.etree.ElementTree

import numpy as np

# Python must not write compiled modules beside the sources.
sys.dont_write_bytecode = True

from program_runs import ProgramRuns


class Groups(ProgramRuns):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(32)
        self.store("image.h5", random.integers(0, 256, (61, 83)).astype(np.uint8))

    def words(self, *more):
        return [f"{self.decks}/joined_edges.yaml", "input.file=image.h5", "output.file=edges.h5", "threads=1", *more]

    def edges(self, ranks, *more):
        self.output("chain", ranks, *self.words(*more))
        result = self.stored("edges.h5")
        os.remove(self.path("edges.h5"))
        return result

    def test_every_allocation_gives_the_same_bits(self):
        expected = self.edges(1, "program.allocation=whole")
        for ranks in (1, 2, 3, 4):
            for allocation in ("whole", "data", "task", "mixed", "auto"):
                found = self.edges(ranks, f"program.allocation={allocation}")
                self.assertTrue(np.array_equal(found, expected), (ranks, allocation))

    def test_an_edited_allocation_runs(self):
        expected = self.edges(1, "program.allocation=whole")
        self.output("chain", 0, *self.words("program.allocation=task", "--explain", "--ranks", "3", "--save-plan", "a.json"))
        with open(self.path("a.json"), encoding="utf-8") as file:
            allocation = json.load(file)
        ranks = {task["task"]: task for task in allocation["tasks"]}
        ranks["laplace"]["ranks"] = [[2, 3], [0, 1]]
        ranks["sobel"]["ranks"] = [[1, 2]]
        with open(self.path("a.json"), "w", encoding="utf-8") as file:
            json.dump(allocation, file)
        text = self.output("chain", 3, *self.words("program.allocation=a.json"))
        self.assertIn("allocation from a.json", text)
        self.assertTrue(np.array_equal(self.stored("edges.h5"), expected))
        self.expect_message(self.refused("chain", 2, *self.words("program.allocation=a.json")),
                            "a.json", "an allocation of 3 ranks")

    def test_an_allocation_that_cannot_run_is_refused(self):
        self.output("chain", 0, *self.words("program.allocation=task", "--explain", "--ranks", "2", "--save-plan", "a.json"))
        with open(self.path("a.json"), encoding="utf-8") as file:
            saved = file.read()

        def refused(spoil):
            allocation = json.loads(saved)
            tasks = {task["task"]: task for task in allocation["tasks"]}
            spoil(allocation["tasks"], tasks)
            allocation["tasks"].sort(key=lambda task: task["task"] != "sobel")
            with open(self.path("a.json"), "w", encoding="utf-8") as file:
                json.dump(allocation, file, indent=1)
            return self.refused("chain", 2, *self.words("program.allocation=a.json"))

        def expect(problem, spoil):
            self.expect_message(refused(spoil), "a.json: schedule of groups:", problem)

        # Ranks 0 and 1 would each have their tasks in an order of their own.
        def reverse(_, tasks):
            tasks["laplace"].update(ranks=[[0, 1]], start=5)
            tasks["edges"].update(ranks=[[1, 2]], start=3)

        expect("task 'edges' starts at 3, before", reverse)
        expect("task 'sobel' is missing", lambda all, tasks: all.remove(tasks["sobel"]))
        expect("task 'sobel' is there twice", lambda all, tasks: all.append(tasks["sobel"]))
        expect("task 'sobel' has 0 ranks", lambda _, tasks: tasks["sobel"].update(ranks=[]))
        expect("task 'sobel' has rank 1 twice", lambda _, tasks: tasks["sobel"].update(ranks=[[1, 2], [1, 2]]))

        def expect_at(place, problem, spoil):
            self.expect_message(refused(lambda _, tasks: spoil(tasks["sobel"])), f"a.json:{place}:", problem)

        expect_at("12:5", "ranges lie within [0, 2]", lambda sobel: sobel.update(ranks=[[2, 3]]))
        expect_at("12:5", "begin before they end", lambda sobel: sobel.update(ranks=[[1, 0]]))
        expect_at("12:5", "expects ranges [begin, end]", lambda sobel: sobel.update(ranks=[[0]]))
        expect_at("13:6", "'-1' is not a rank", lambda sobel: sobel.update(ranks=[[-1, 1]]))
        expect_at("16:5", "has a rank twice", lambda sobel: sobel.update(ranks=[[0, 2], [0, 1]]))
        expect_at("32:12", "no task 'sobbel'; did you mean 'sobel'?", lambda sobel: sobel.update(task="sobbel"))
        expect_at("17:13", "'soon' is not a number", lambda sobel: sobel.update(start="soon"))
        expect_at("9:3", "has no 'ranks'", lambda sobel: sobel.pop("ranks"))

        with open(self.path("a.json"), "w", encoding="utf-8") as file:
            file.write(saved.replace('"format": 1', '"format": 7'))
        self.expect_message(self.refused("chain", 2, *self.words("program.allocation=a.json")), "a.json:2:13:", "'format'")

    def test_only_the_order_of_the_times_of_an_allocation_counts(self):
        expected = self.edges(1, "program.allocation=whole")
        self.output("chain", 0, *self.words("program.allocation=task", "--explain", "--ranks", "2", "--save-plan", "a.json"))
        with open(self.path("a.json"), encoding="utf-8") as file:
            allocation = json.load(file)
        # All tasks start together on one rank, and end before.
        for task in allocation["tasks"]:
            task.update(ranks=[[1, 2]], start=9, finish=1)
        allocation.update(lower_bound=12345, period=-1)
        with open(self.path("a.json"), "w", encoding="utf-8") as file:
            json.dump(allocation, file)
        text = self.output("chain", 2, *self.words("program.allocation=a.json"))
        self.assertNotIn("estimated 0 s", text)
        text = self.output("chain", 0, *self.words("program.allocation=a.json", "--explain", "--ranks", "2"))
        self.assertNotIn("12345", text)
        self.assertIn("a.json", text)
        self.assertTrue(np.array_equal(self.stored("edges.h5"), expected))

    def test_a_trace_says_who_did_what_when(self):
        expected = self.edges(1, "program.allocation=whole")
        for allocation in ("task", "data"):
            self.output("chain", 2, *self.words(f"program.allocation={allocation}", "watchdog=30 s", "--trace", "trace.json",
                                                "--report", "report.json"))
            self.assertTrue(np.array_equal(self.stored("edges.h5"), expected))
            with open(self.path("trace.json"), encoding="utf-8") as file:
                events = [event for event in json.load(file)["traceEvents"] if event["ph"] == "X"]
            with open(self.path("report.json"), encoding="utf-8") as file:
                report = json.load(file)
            groups = {task["task"]: task["group"] for task in report["tasks"]}
            steps = {row["step"]: row for row in report["steps"]}
            for step in ("laplace: compute lines", "sobel: send", "start: read", "stop: write", "plan"):
                self.assertGreater(steps[step]["calls"], 0)
                self.assertGreater(steps[step]["slowest_seconds"], 0)
            self.assertNotIn("laplace: write", steps)
            whole = {(event["name"], event["pid"]): event for event in events if event["cat"] == "task"}
            ranks = {name: "-".join(str(rank) for task, rank in sorted(whole) if task == name) for name, _ in whole}
            self.assertEqual(ranks, {**groups, "start": "0-1", "stop": "0-1"})
            ends = {key: event["ts"] + event["dur"] for key, event in whole.items()}
            parts = [event for event in events if ": " in event["name"] and event["cat"] != "wait"]
            for event in parts:
                task = event["name"].split(": ")[0], event["pid"]
                self.assertGreaterEqual(event["ts"], whole[task]["ts"])
                self.assertLessEqual(event["ts"] + event["dur"], ends[task] + 1e-3)
            names = {event["name"] for event in parts}
            for name in ("laplace: compute lines", "sobel: send", "start: read", "stop: write"):
                self.assertIn(name, names)
            for rank in (0, 1):
                self.assertEqual([key for key in sorted(whole, key=lambda key: whole[key]["ts"]) if key[1] == rank][-1], ("stop", rank))
                for before in ("laplace", "sobel"):
                    if (before, rank) in whole and ("edges", rank) in whole:
                        self.assertLess(ends[before, rank], whole["edges", rank]["ts"] + 1e-3)
            self.assertIn("plan", {event["name"] for event in events if event["cat"] == "phase"})

    def test_a_watchdog_on_several_nodes_says_how_long_ranks_may_wait(self):
        words = self.words("program.allocation=task", "watchdog=9.5")
        remark = "for other ranks, as it does not see the steps on other machine nodes"
        self.assertNotIn(remark, self.output("chain", 2, *words))
        # With this variable MPICH takes each rank for a node of its own.
        with unittest.mock.patch.dict(os.environ, MPIR_CVAR_NOLOCAL="1"):
            text = self.output("chain", 2, *words)
        found = re.search(rf"watchdog: a rank may wait ([0-9.]+) s {remark}", text)
        self.assertIsNotNone(found, text)
        steps = float(found.group(1)) / 9.5
        # Four tasks, the start and the stop have two steps each, and each of the five steps of the chain has one or a few.
        self.assertEqual(steps, round(steps))
        self.assertGreaterEqual(steps, 17)
        self.assertLessEqual(steps, 40)

    def test_explains_who_does_what(self):
        text = self.output("chain", 0, *self.words("program.allocation=task", "program.chart=chart.svg", "--explain",
                                                   "--ranks", "64"))
        for task in ("laplace", "sobel", "smooth", "edges"):
            self.assertRegex(text, rf"(?m)^ *{task} ")
        self.assertIn("array laplace.lines: ", text)
        self.assertIn("at most, of rank ", text)
        xml.etree.ElementTree.parse(self.path("chart.svg"))
        step = self.output("chain", 0, *self.words("program.allocation=data", "--explain", "--ranks", "2", "--rank", "1"))
        self.assertIn("rank 1 of 2", step)
        self.assertIn("0 start on ranks 0-1", step)
        dot = self.output("chain", 0, *self.words("program.allocation=task", "--explain", "--dot"))
        self.assertTrue(dot.startswith("digraph"), dot)

    def test_estimates_and_checks_tasks(self):
        text = self.output("chain", 0, *self.words("program.allocation=data", "--explain", "--estimate", "--ranks", "8"))
        self.assertIn("array laplace.lines: ", text)
        for task in ("laplace", "sobel", "smooth", "edges"):
            self.assertIn(f"task {task} on ranks 0-7", text)
        self.assertEqual(self.output("chain", 0, *self.words("program.allocation=task", "--check", "--ranks", "2")).count("\n"), 1)
        grids = self.output("chain", 2, *self.words("program.allocation=data", "grid=[1,2]"))
        self.assertIn("allocation 'data'", grids)

    def test_says_that_nothing_is_divided(self):
        with open(self.path("costs.yaml"), "w", encoding="utf-8") as file:
            file.write("tasks: {laplace: {1: 1}, sobel: {1: 1}, smooth: {1: 1}, edges: {1: 1}, whole: {1: 1}}\n")
        text = self.output("chain", 1, *self.words("program.costs=costs.yaml", "bands=2"))
        self.assertIn("the undivided pipeline is estimated to take 1e+03 ms, and is not divided", text)
        self.output("chain", 1, *self.words("program.costs=costs.yaml", "program.profile=profile.yaml"))
        self.assertTrue(os.path.exists(self.path("profile.yaml")))
        self.expect_message(self.refused("blur", 0, "input.file=image.h5", "output.file=b.h5", "program.costs=costs.yaml"),
                            "is not divided into tasks", "give groups")

    def test_what_does_not_fit_into_memory_is_not_divided(self):
        expected = self.edges(1, "program.allocation=whole")
        with open(self.path("costs.yaml"), "w", encoding="utf-8") as file:
            file.write("tasks: {laplace: {1: 1}, sobel: {1: 1}, smooth: {1: 1}, edges: {1: 1}, whole: {1: 9}}\n")
        words = self.words("program.costs=costs.yaml", "memory=60K", "--report", "report.json")
        text = self.output("chain", 2, *words)
        self.assertRegex(text, "the pipeline is not divided: .*rank 0 needs .* but may use 60.0 KiB")
        self.assertTrue(np.array_equal(self.stored("edges.h5"), expected))
        with open(self.path("report.json"), encoding="utf-8") as file:
            self.assertIn("the pipeline is not divided: ", json.load(file)["run"]["remarks"])
        self.assertIn("but may use 60.0 KiB", self.refused("chain", 2, *words, "program.allocation=mixed"))
        text = self.output("chain", 2, *words, "memory=20K")
        self.assertIn("the pipeline is not divided: ", text)
        self.assertIn("out of core, in ", text)
        self.assertTrue(np.array_equal(self.stored("edges.h5"), expected))

    def test_profile_fit_allocate_run(self):
        expected = self.edges(1, "program.allocation=whole")
        self.output("chain", 2, *self.words("program.allocation=data", "program.profile=costs.yaml"))
        with open(self.path("costs.yaml"), encoding="utf-8") as file:
            costs = file.read()
        for task in ("laplace", "sobel", "smooth", "edges", "whole"):
            self.assertRegex(costs, rf"(?m)^  {task}: {{1: [0-9.e-]+, 2: [0-9.e-]+}}$")
        self.assertRegex(costs, "(?m)^threads: 1$")
        with open(self.path("other.yaml"), "w", encoding="utf-8") as file:
            file.write(re.sub("(?m)^processor: .*$", "processor: an abacus", costs).replace("threads: 1", "threads: 3"))
        other = self.output("chain", 2, *self.words("program.allocation=mixed", "program.costs=other.yaml"))
        self.assertIn("the costs of tasks are those of another machine (an abacus), and are used all the same", other)
        self.assertIn("the costs of tasks were measured with 3 threads per rank, not 1", other)
        text = self.output("chain", 2, *self.words("program.allocation=mixed", "program.costs=costs.yaml",
                                                   "program.chart=chart.svg", "--report", "report.json"))
        self.assertIn("costs of tasks from costs.yaml", text)
        self.assertTrue(np.array_equal(self.stored("edges.h5"), expected))
        with open(self.path("report.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual(report["program"]["tasks"], 4)
        self.assertGreater(report["program"]["seconds"], 0)
        self.assertGreater(report["program"]["estimated_seconds"], 0)
        self.assertEqual(sorted(task["task"] for task in report["tasks"]), ["edges", "laplace", "smooth", "sobel"])
        xml.etree.ElementTree.parse(self.path("chart.svg"))

    def test_the_costs_decide(self):
        def allocated(laplace):
            with open(self.path("costs.yaml"), "w", encoding="utf-8") as file:
                file.write("tasks:\n" + "".join(f"  {task}: {{1: {seconds}, 2: {seconds / 2}}}\n" for task, seconds in
                                                {"laplace": laplace, "sobel": 1, "smooth": 0.001, "edges": 0.001}.items()))
            text = self.output("chain", 0, *self.words("program.allocation=mixed", "program.costs=costs.yaml", "--explain",
                                                       "--ranks", "2"))
            return float(re.search(r"estimated to take ([0-9.e+]+) ms", text)[1])

        self.assertAlmostEqual(allocated(1), 1001, delta=5)
        self.assertAlmostEqual(allocated(3), 2001, delta=5)

    def test_bad_input(self):
        def refused(*words, ranks=0):
            return self.refused("chain", ranks, *self.words(*words))

        with open(self.path("costs.yaml"), "w", encoding="utf-8") as file:
            file.write("tasks: {laplace: {1: -2}}\n")
        self.expect_message(refused("program.costs=costs.yaml"), "costs.yaml:1:22:", "not a positive number")
        with open(self.path("few.yaml"), "w", encoding="utf-8") as file:
            file.write("tasks: {laplace: {1: 2}}\n")
        self.expect_message(refused("program.costs=few.yaml"), "few.yaml:", "'sobel' has no seconds")
        self.expect_message(refused("groups={a: [gradien]}"), "'groups':", "names 'gradien'", "'gradient'?")
        self.expect_message(refused("groups={laplace: [smooth, edges]}"), "'groups':", "has a cycle")
        self.expect_message(refused("program.allocation=mixt"), "'program.allocation':", "'mixt' is neither", "'mixed'?")
        self.assertIn("programs of tasks have no bands", refused("bands=2", "program.allocation=data"))
        self.assertIn("'whole' is the undivided pipeline", refused("groups={whole: [smooth]}"))
        self.expect_message(refused("program.allocation=whole", "program.profile=p.yaml"),
                            "the undivided pipeline", "no tasks to measure")
        self.assertIn("tasks are measured in a run only", refused("program.profile=p.yaml", "--explain",
                                                                   "program.allocation=data"))
        self.expect_message(refused("groups=[a]"), "'groups'", "a map of tasks")
        self.assertIn("but may use 20.0 KiB", refused("memory=20K", "program.allocation=data"))
        self.output("blur", 1, "input.file=image.h5", "output.file=blur.h5", "groups={x: bh, y: bv}")
        self.expect_message(self.refused("blur", 0, "input.file=image.h5", "output.file=b.h5", "program.allocation=task"),
                            "no tasks of its own")


if __name__ == "__main__":
    programs, Groups.decks, mpiexec, count_flag = sys.argv[1:]
    Groups.launch_with(programs, mpiexec, count_flag)
    unittest.main(argv=sys.argv[:1])
