# SPDX-License-Identifier: BSD-3-Clause
"""The flow of tessera-flow, beside that of an independent implementation by numpy and the true one.

usage: flow_reference_test.py FOLDER_OF_PROGRAMS FOLDER_OF_DECKS MPIEXEC COUNT_FLAG
"""
import sys
import unittest

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

    def test_grey_values_of_any_magnitude(self):
        images = [np.rint(image).astype("f4") for image in reference.pair(40, 30, MOTIONS["translation"])]
        flows = []
        for offset, power in ((0, 0), (128, 120), (0, 100), (0, -60), (0, -149)):
            for name, image in zip(("a.h5", "b.h5"), images):
                self.store(name, np.ldexp(image - np.float32(offset), power))
            words = ("scales=2", "warps=2", "turns=10", "threads=1")
            self.output("flow", 0, "input.first=a.h5", "input.second=b.h5", "output.flo=p.flo", *words)
            with open(self.path("p.flo"), "rb") as file:
                flows.append(file.read())
        self.assertTrue(all(flow == flows[0] for flow in flows))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
