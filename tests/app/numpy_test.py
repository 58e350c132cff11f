# SPDX-License-Identifier: BSD-3-Clause
"""What the programs write, read and computed anew by h5py and numpy.

usage: numpy_test.py FOLDER_OF_PROGRAMS MPIEXEC COUNT_FLAG
"""
import json
import sys
import unittest

import h5py
import numpy as np

# Python must not write compiled modules beside the sources.
sys.dont_write_bytecode = True

from program_runs import ProgramRuns

ProgramRuns.launch_with(*sys.argv[1:])


class Results(ProgramRuns):
    def run_program(self, name, ranks, *words):
        return self.output(name, ranks, "threads=1", *words)

    def generated(self, kind, *words, ranks=2):
        self.run_program("generate", ranks, f"kind={kind}", "output.file=o.h5", *words)
        return self.stored("o.h5")

    def test_an_hdf5_result(self):
        self.run_program("heat3d", 3, "intervals.x=12", "intervals.y=10", "intervals.z=8", "steps=20",
                         "output.file=t.h5", "output.raw=t.raw", "output.history=t.csv")
        version = self.run_program("heat3d", 1, "--version").splitlines()[0]
        with h5py.File(self.path("t.h5")) as file:
            self.assertEqual(sorted(file), ["history", "temperature"])
            temperature = file["temperature"]
            self.assertEqual((temperature.shape, temperature.dtype, temperature.chunks),
                             ((9, 11, 13), np.dtype("float64"), None))
            field = temperature[...]
            changes = file["history/diffuse/residual"]
            self.assertEqual((changes.shape, changes.dtype), ((20,), np.dtype("float64")))
            changes = changes[...]
            attributes = dict(file.attrs)
        sines = [np.sin(np.pi * np.arange(n + 1) / n) for n in (8, 10, 12)]
        modes = sines[0][:, None, None] * sines[1][:, None] * sines[2]
        np.testing.assert_allclose(field, field[4, 5, 6] * modes, rtol=0, atol=1e-14)
        self.assertTrue(np.all(np.diff(changes) < 0))
        self.assertTrue(np.array_equal(np.fromfile(self.path("t.raw"), "f8").reshape(9, 11, 13), field))
        self.assertEqual(f"{attributes['program']} {attributes['version']}", version)
        self.assertRegex(attributes["version"], r"^\d+\.\d+\.\d+ \(git [0-9a-f]{10}")
        self.assertEqual((attributes["ranks"], attributes["threads_per_rank"]), (3, 1))
        self.assertIn("HDF5", attributes["libraries"])
        with open(self.path("again.yaml"), "w", encoding="utf-8") as deck:
            deck.write(attributes["deck"])
        self.run_program("heat3d", 1, "again.yaml", "output.file=again.h5", "output.raw=again.raw",
                         "output.history=again.csv")
        with h5py.File(self.path("again.h5")) as file:
            self.assertTrue(np.array_equal(file["temperature"][...], field))

    def test_a_checkerboard(self):
        image = self.generated("checkerboard", "width=100", "height=70", "channels=3", "checkerboard.size=7", ranks=4)
        y, x = np.mgrid[:70, :100]
        expected = np.broadcast_to(255 * ((x // 7 + y // 7) % 2), (3, 70, 100))
        self.assertEqual(image.dtype, np.dtype("uint8"))
        self.assertTrue(np.array_equal(image, expected))

    def test_a_zone_plate(self):
        image = self.generated("zone_plate", "width=120", "height=81", "type=float32", "zone_plate.period=90")
        y, x = np.mgrid[:81, :120]
        expected = (1 + np.cos(np.pi * ((x - 59.5) ** 2 + (y - 40.0) ** 2) / 90)) / 2
        np.testing.assert_allclose(image, expected, rtol=0, atol=1e-6)

    def test_noise_has_the_spectrum_that_was_asked_for(self):
        size = 256
        fy, fx = np.meshgrid(np.fft.fftfreq(size), np.fft.fftfreq(size), indexing="ij")
        frequency = np.hypot(fx, fy)
        edges = np.geomspace(1 / 64, 1 / 3, 12)
        for exponent in (0, 0.5, 1, 2):
            image = self.generated("noise", "width=256", "height=256", "channels=4", "type=float32",
                                   f"noise.exponent={exponent}", "noise.longest=128", "noise.deviation=2")
            power = np.mean(np.abs(np.fft.fft2(image.astype("f8"))) ** 2, axis=0)
            means = [power[(frequency >= a) & (frequency < b)].mean() for a, b in zip(edges, edges[1:])]
            slope = np.polyfit(np.log(np.sqrt(edges[1:] * edges[:-1])), np.log(means), 1)[0]
            self.assertAlmostEqual(slope, -exponent, delta=0.1)
            self.assertAlmostEqual(image.std(), 2, delta=0.1)

    def test_a_star_is_what_its_profile_says(self):
        """Of one star alone: its light, and its width."""
        image = self.generated("stars", "width=200", "height=200", "type=float32", "stars.spacing=200",
                               "stars.sky=0", "stars.noise=0", "stars.width=4", "stars.faintest=1", "seed=7")
        y, x = np.mgrid[:200, :200]
        light = image.sum(dtype="f8")
        middle_x, middle_y = (image * x).sum() / light, (image * y).sum() / light
        self.assertAlmostEqual(light, 2 * np.pi * 16, delta=0.01)
        self.assertAlmostEqual((image * (x - middle_x) ** 2).sum() / light, 16, delta=0.01)
        distance = (x - middle_x) ** 2 + (y - middle_y) ** 2
        np.testing.assert_allclose(image, np.exp(-distance / 32), rtol=0, atol=1e-4)

    def test_a_field_of_stars_has_all_of_their_light(self):
        words = ("width=640", "height=640", "type=float32", "stars.sky=0", "stars.noise=0", "stars.width=1")
        # Each reaches as far into the squares around its own as it may.
        dense = self.generated("stars", *words, "stars.faintest=1", "stars.spacing=8", "stars.width=1.6")
        self.assertAlmostEqual(dense.mean(dtype="f8") / (2 * np.pi * 1.6**2 / 8**2), 1, delta=0.005)
        faint = self.generated("stars", *words, "stars.faintest=0.01", "stars.slope=1")
        # The mean of min(1, 0.01 / u) is 0.01 (1 + ln 100).
        self.assertAlmostEqual(faint.sum(dtype="f8") / (2 * np.pi * 400), 0.056, delta=0.015)
        sky = self.generated("stars", "type=float32", "stars.faintest=0", "stars.sky=0.5", "stars.noise=0.1")
        self.assertAlmostEqual(sky.mean(), 0.5, delta=0.001)
        self.assertAlmostEqual(sky.std(), 0.1, delta=0.001)

    def test_a_comparison(self):
        for number, kind in enumerate(("uint16", "float32")):
            images = []
            for seed in (1, 2):
                name = f"{kind}{seed}.h5"
                self.run_program("generate", 1, "kind=noise", f"type={kind}", "channels=2", "width=75",
                                 f"seed={seed}", f"output.file={name}")
                images.append(self.stored(name).astype("f8"))
            self.run_program("compare", 2 + number, f"input.file={kind}1.h5", f"other.file={kind}2.h5",
                             "--report", "r.json")
            with open(self.path("r.json"), encoding="utf-8") as report:
                numbers = json.load(report)["numbers"]
            distance = np.abs(images[0] - images[1])
            peak = 65535 if kind == "uint16" else 1
            self.assertEqual(numbers["maximum"], distance.max())
            self.assertEqual(numbers["differing"], np.count_nonzero(distance))
            self.assertAlmostEqual(numbers["mean"] / distance.mean(), 1, delta=1e-12)
            self.assertAlmostEqual(numbers["psnr"], 10 * np.log10(peak**2 / np.mean(distance**2)), delta=1e-9)

    def test_complex_images_are_copied_and_otherwise_refused(self):
        for dtype in (np.complex64, np.complex128):
            random = np.random.default_rng(3)
            image = (random.random((3, 17, 23)) + 1j * random.random((3, 17, 23))).astype(dtype)
            self.store("c.h5", image)
            self.run_program("convert", 3, "input.file=c.h5", "output.file=d.h5", "output.raw=d.raw")
            with h5py.File(self.path("d.h5")) as file:
                self.assertEqual(file["converted"].dtype, dtype)
                np.testing.assert_array_equal(file["converted"][...], image)
            raw = np.fromfile(self.path("d.raw"), dtype)
            np.testing.assert_array_equal(raw.reshape(image.shape), image)
            image.astype(image.dtype.newbyteorder(">")).tofile(self.path("e.raw"))
            name = np.dtype(dtype).name
            self.run_program("convert", 2, "input.file=e.raw", "input.raw.shape=[3, 17, 23]", f"input.raw.type={name}",
                             "input.raw.order=big", "output.file=f.h5")
            np.testing.assert_array_equal(self.stored("f.h5"), image)
            for program, word, *told in [("convert", "type=float32", "'type':", f"numbers of {name} are copied"),
                                         ("convert", "scale=2", "'scale':", f"numbers of {name} are copied"),
                                         ("compare", "other.file=c.h5", "'input.file':", f"not of {name}")]:
                output = [] if program == "compare" else ["output.file=g.h5"]
                self.expect_message(self.refused(program, None, "input.file=c.h5", word, *output), *told)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
