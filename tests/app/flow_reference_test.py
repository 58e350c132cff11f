# SPDX-License-Identifier: BSD-3-Clause
"""The flow of tessera-flow, beside that of an independent implementation by numpy and the true one.

usage: flow_reference_test.py FOLDER_OF_PROGRAMS FOLDER_OF_DECKS MPIEXEC COUNT_FLAG
"""
import sys
import unittest

import h5py
import numpy as np

# Python must not write compiled modules beside the sources.
sys.dont_write_bytecode = True

import flow_reference as reference
from program_runs import ProgramRuns

programs, decks, mpiexec, count_flag = sys.argv[1:]
ProgramRuns.launch_with(programs, mpiexec, count_flag)

WIDTH, HEIGHT = 101, 83
MOTIONS = {"translation": reference.Motion(x=3.3, y=-2.1), "rotation": reference.Motion(angle=0.03),
           "zoom": reference.Motion(zoom=1.03)}


class Flows(ProgramRuns):
    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def flow(self, images, settings, ranks=2):
        """What the program computes, as u and v."""
        for name, image in zip(("first", "second"), images):
            self.store(f"{name}.h5", image)
        self.output("flow", ranks, f"{decks}/default.yaml", "input.first=first.h5", "input.second=second.h5",
                    "output.file=flow.h5", "threads=1", *settings.words())
        u, v = self.stored("flow.h5", "flow")
        return u, v

    def test_fixed_turns_give_the_flow_of_the_reference(self):
        for number, solver in enumerate(("jacobi", "red_black", "chebyshev")):
            for zoom in (0.5, 0.7):
                settings = reference.Settings(alpha=15, scales=3, zoom=zoom, warps=3, turns=20, warp_tolerance=0, tolerance=0,
                                              solver=solver)
                images = reference.pair(WIDTH, HEIGHT, MOTIONS["translation"])
                expected = reference.flow(*images, settings)[:2]
                found = self.flow(images, settings, ranks=1 + number)
                for component, of_reference in zip(found, expected):
                    self.assertLess(np.max(np.abs(component - of_reference)), 1e-4, (solver, zoom))

    def test_errors_are_not_above_those_of_the_reference(self):
        settings = reference.Settings(alpha=15, scales=3, turns=60, tolerance=1e-3, warp_tolerance=1e-3, solver="chebyshev")
        for name, motion in MOTIONS.items():
            images = reference.pair(WIDTH, HEIGHT, motion)
            truth = motion.flow(WIDTH, HEIGHT)
            of_reference = reference.end_point_errors(*reference.flow(*images, settings)[:2], truth)
            found = reference.end_point_errors(*self.flow(images, settings), truth)
            # The two implementations end by the same test, and differ by roundings alone.
            self.assertLess(np.mean(found), np.mean(of_reference) + 1e-5, name)
            self.assertLess(np.mean(found), 0.03, name)

    def test_a_graph_computes_the_flows_of_a_series(self):
        moving = [reference.pair(64, 50, reference.Motion(x=x, y=x / 3), waves=20)[1] for x in (0, 0.5, 2, 2.2, 5)]
        frames = [f"f{number}.h5" for number in range(len(moving))]
        for name, image in zip(frames, moving):
            self.store(name, np.rint(image).astype(np.uint8))
        words = ("scales=3", "warps=4", "turns=30", "tolerance=0.01", "warp_tolerance=0.05", "threads=1")
        for number in range(4):
            self.output("flow", 1, f"input.first={frames[number]}", f"input.second={frames[number + 1]}",
                        f"output.flo=p{number}.flo", *words)
        for ranks, window in ((1, 1), (2, 2), (3, 3)):
            named = "f?.h5" if ranks == 3 else f"[{', '.join(frames)}]"
            printed = self.output("flow", ranks, "run=graph", f"input.files={named}",
                                  f"output.files=g{ranks}_{{index}}.flo", f"graph.window={window}", *words)
            self.assertIn("4 pairs: ", printed)
            for number in range(4):
                with open(self.path(f"p{number}.flo"), "rb") as one, open(self.path(f"g{ranks}_{number}.flo"), "rb") as other:
                    self.assertEqual(one.read(), other.read(), (ranks, number))

    def test_a_graph_without_tolerances(self):
        images = [image.astype(np.uint8) for image in reference.pair(40, 30, MOTIONS["translation"])]
        for name, image in zip(("a.h5", "b.h5"), images):
            self.store(name, image)
        words = ("scales=2", "warps=3", "turns=10", "tolerance=0", "warp_tolerance=0", "threads=1")
        self.output("flow", 0, "input.first=a.h5", "input.second=b.h5", "output.flo=p.flo", *words)
        self.assertIn("1 pair: 6 warps, 60 turns", self.output("flow", 1, "run=graph", "input.files=[a.h5, b.h5]",
                                                               "output.files=g.flo", *words))
        self.assertEqual(self.bytes_of("g.flo"), self.bytes_of("p.flo"))

    def test_grey_values_of_any_magnitude(self):
        images = [np.rint(image).astype("f4") for image in reference.pair(40, 30, MOTIONS["translation"])]
        flows = []
        for offset, power in ((0, 0), (128, 120), (0, 100), (0, -60), (0, -149)):
            for name, image in zip(("a.h5", "b.h5"), images):
                self.store(name, np.ldexp(image - np.float32(offset), power))
            words = ("scales=2", "warps=2", "turns=10", "threads=1")
            self.output("flow", 0, "input.first=a.h5", "input.second=b.h5", "output.flo=p.flo", *words)
            self.output("flow", 0, "run=graph", "input.files=[a.h5, b.h5]", "output.files=g.flo", *words)
            flows += [self.bytes_of("p.flo"), self.bytes_of("g.flo")]
        self.assertTrue(all(flow == flows[0] for flow in flows))

    def test_a_graph_refuses_what_is_no_series(self):
        for name, shape in (("a.h5", (20, 30)), ("b.h5", (20, 31))):
            self.store(name, np.zeros(shape, np.uint8))
        broken = np.zeros((20, 30), np.float32)
        broken[3, 7] = np.nan
        self.store("nan.h5", broken)

        def line(frames, output="o{index}.flo"):
            return self.refused("flow", 1, "run=graph", f"input.files=[{frames}]", f"output.files={output}")
        self.expect_message(line("a.h5"), "a flow needs two frames", "name at least two")
        self.expect_message(line("a.h5, b.h5"), "b.h5 is [0, 31)", "frames of one size")
        self.expect_message(line("a.h5, a.h5, a.h5", "o.flo"), "o.flo is one file for 2 flows")
        self.expect_message(line("a.h5, a.h5", "o.png"), "o.png ends neither", "nor in .h5")
        self.expect_message(line("a.h5, a.h5", "a.h5"), "a.h5 is also a frame", "another name")
        self.expect_message(line("nan.h5, nan.h5"), "'input.files': nan.h5", "no finite number at (7, 3)")
        self.expect_message(line("a.h5, a.h5", "missing/{index}.flo"), "'output.files':", "there is no folder missing")
        self.expect_message(line("a.h5, a.h5", "o{pair}.flo"), "'output.files':", "unknown placeholder {pair}")
        self.expect_message(line("a.h5, a.h5, a.h5", "o_{name}.flo"), "'output.files':", "two flows would become o_a.flo")

    def test_a_graph_reads_chosen_images(self):
        images = [np.rint(image).astype("u1") for image in reference.pair(40, 30, MOTIONS["translation"])]
        for name, image in zip(("a.h5", "b.h5"), images):
            self.store(name, image)
            with h5py.File(self.path(f"two_{name}"), "w") as file:
                file["zero"], file["seen"] = np.zeros_like(image), image
        words = (f"{decks}/series.yaml", "scales=2", "warps=2", "turns=10", "threads=1")
        self.output("flow", 0, *words, "input.files=[a.h5, b.h5]", "output.files=p_{name}_{index}_{name}.flo")
        self.output("flow", 0, *words, "input.files=[two_a.h5, two_b.h5]", "input.dataset=seen", "output.files=g.flo")
        self.assertEqual(self.bytes_of("g.flo"), self.bytes_of("p_a_0_a.flo"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
