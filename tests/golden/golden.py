#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the results of every program and deck with the checksums of this folder; see README.md.

Each case runs on each number of ranks, with one and two threads in turn.
"""
import argparse
import concurrent.futures
import hashlib
import os
import platform
import subprocess
import sys
import tempfile

import numpy as np

# Python must not write compiled modules beside the sources.
sys.dont_write_bytecode = True

import cases
import inputs
import results

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = 100
C_LIBRARY = "-".join(platform.libc_ver())


class Stored:
    """A result as the files of this folder hold it: its type, its shape, and a checksum or, of a single number, the number."""

    def __init__(self, kind, shape, sum_of_all):
        self.kind, self.shape, self.sum = kind, shape, sum_of_all
        self.line = f"{kind} {shape} {sum_of_all}"

    @classmethod
    def of(cls, value):
        if isinstance(value, str):
            return cls("text", f"{value.count(chr(10))}lines", checksum(value.encode()))
        value = np.ascontiguousarray(value)
        shape = "x".join(map(str, np.shape(value))) or "-"
        if value.size == 1 and value.dtype.kind in "iuf":
            return cls(value.dtype.name, shape, repr(value.reshape(-1)[0].item()))
        if value.dtype.kind == "O":
            return cls("text", shape, checksum(repr(value.tolist()).encode()))
        return cls(value.dtype.name, shape, checksum(value.tobytes()))


def checksum(data):
    return hashlib.sha256(data).hexdigest()[:16]


def summary(value):
    """The least and the greatest number, the mean, and some of the numbers at even distances."""
    parts = value.reshape(-1)
    flat = (np.stack([parts.real, parts.imag]).reshape(-1) if value.dtype.kind == "c" else parts).astype(np.float64)
    places = np.arange(min(SAMPLES, flat.size)) * flat.size // min(SAMPLES, flat.size)
    return np.concatenate([[flat.min(), flat.max(), flat.mean()], flat[places]])


def has_samples(value):
    return not isinstance(value, str) and value.dtype.kind in "iufc" and value.size > 1


def is_close(value, expected, tolerance):
    """Whether an array differs from the stored one by little more than roundings."""
    found = summary(value)
    step = 1 if value.dtype.kind in "iu" else 1e-12
    allowed = step + tolerance * max(abs(expected[0]), abs(expected[1]))
    return found.shape == expected.shape and bool(np.all(np.abs(found - expected) <= allowed))


class Runs:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
        yielding = os.path.join(options.programs, "..", "tests", "libtessera-test-yield.so")
        if os.path.exists(yielding):
            self.environment.setdefault("LD_PRELOAD", os.path.abspath(yielding))

    def results_of(self, case, ranks, threads):
        """Runs a case, which must end as it should, in a folder of its own."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            os.symlink(os.path.join(self.folder, "in"), os.path.join(folder, "in"))
            os.mkdir(os.path.join(folder, "kept"))
            for program, words in case.commands:
                launcher = [self.options.mpiexec, self.options.count_flag, str(ranks)] if ranks > 1 else []
                command = [*launcher, os.path.join(self.options.programs, f"tessera-{program}"), f"threads={threads}", *words]
                ended = subprocess.run(command, cwd=folder, env=self.environment, capture_output=True, text=True,
                                       check=False, timeout=self.options.timeout)
                if ended.returncode != 0:
                    raise RuntimeError(f"ended with {ended.returncode}: {' '.join(command)}\n"
                                       f"{ended.stdout[-600:]}{ended.stderr[-2000:]}")
            os.unlink(os.path.join(folder, "in"))
            return results.of_folder(folder)


def read_lines(name):
    """The words of the lines of a file of this folder, where there is one."""
    path = os.path.join(HERE, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [line.split() for line in file if line.strip()]


class Checksums:
    """The files checksums.txt and samples.txt."""

    def __init__(self):
        self.cases, self.samples = {}, {}
        lines = read_lines("checksums.txt")
        self.has_same_libm = any(line[0] == "#" and line[-1] == C_LIBRARY for line in lines)
        for program, deck, result, *stored in (line for line in lines if line[0] != "#"):
            self.cases.setdefault((program, deck), {})[result] = Stored(*stored)
        for sum_of_all, *numbers in (line for line in read_lines("samples.txt") if line[0] != "#"):
            self.samples[sum_of_all] = np.array(numbers, np.float64)

    def take(self, case, found):
        self.cases[case.key] = {name: Stored.of(value) for name, value in found.items()}
        self.samples.update({Stored.of(value).sum: summary(value) for name, value in found.items()
                             if has_samples(value) and case.decided_by(name)[0]})
        return []

    def write(self, dropped):
        for key in dropped:
            del self.cases[key]
        lines = [f"{program} {deck} {name} {stored.line}\n" for (program, deck), entries in self.cases.items()
                 for name, stored in entries.items()]
        with open(os.path.join(HERE, "checksums.txt"), "w", encoding="utf-8") as file:
            file.write(f"# Written by golden.py --write where the C library is {C_LIBRARY}\n"
                       "# program, deck or case, result, its type and shape, its checksum or number\n")
            file.writelines(sorted(lines))
        used = {stored.sum for entries in self.cases.values() for stored in entries.values()}
        with open(os.path.join(HERE, "samples.txt"), "w", encoding="utf-8") as file:
            file.write("# checksum, minimum, maximum, mean and samples of results that a library decides\n")
            file.writelines(f"{name} {' '.join(f'{number:.12g}' for number in numbers)}\n"
                            for name, numbers in sorted(self.samples.items()) if name in used)

    def differences(self, case, found, exact):
        """A line for each result that is not as it was."""
        entries = self.cases.get(case.key)
        if entries is None:
            return ["has no entry in checksums.txt: golden.py --write makes one"]
        lines = [f"{name}: is missing" for name in entries if name not in found]
        for name, value in found.items():
            stored, expected = Stored.of(value), entries.get(name)
            if expected is None:
                lines.append(f"{name}: is new")
            elif stored.line != expected.line:
                library, tolerance = case.decided_by(name)
                exact_here = exact or library is None or (library == cases.LIBM and self.has_same_libm)
                if exact_here or not self.is_like(stored, expected, value, tolerance):
                    lines.append(f"{name}: is {stored.line}, was {expected.line}")
        return lines

    def is_like(self, stored, expected, value, tolerance):
        if (stored.kind, stored.shape) != (expected.kind, expected.shape) or stored.kind == "text":
            return False
        samples = self.samples.get(expected.sum) if has_samples(value) else np.full(4, float(expected.sum))
        return samples is not None and is_close(value, samples, tolerance)


def chosen_options():
    build = os.path.join(HERE, "..", "..", "build-release", "bin")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default=build, type=os.path.abspath, help="the folder of the programs")
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--count-flag", default="-n")
    parser.add_argument("--ranks", nargs="+", type=int, default=[1, 3, 4])
    parser.add_argument("--only", nargs="+", default=[], help="the programs that run, such as chain, and not all")
    parser.add_argument("--case", help="the deck or extra that runs, such as default.yaml")
    parser.add_argument("--write", action="store_true", help="write the checksums anew, from runs on one rank")
    parser.add_argument("--exact", action="store_true", help="compare by checksums also what libraries decide")
    parser.add_argument("--jobs", type=int, default=2, help="how many cases run side by side")
    parser.add_argument("--timeout", type=float, default=120, help="the seconds that a run may take")
    return parser.parse_args()


def run_all(runs, chosen, options, lines_about):
    """Runs cases on all numbers of ranks and prints the lines about each, or its error; how many lines these are."""
    count = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = {}
        for ranks in options.ranks:
            for number, case in enumerate(chosen):
                threads = 1 + (number + ranks) % 2
                waiting[pool.submit(runs.results_of, case, ranks, threads)] = (case, ranks, threads)
        for ended in concurrent.futures.as_completed(waiting):
            case, ranks, threads = waiting[ended]
            try:
                lines = lines_about(case, ended.result())
            except Exception as error:  # of a run, or of a result that cannot be decoded
                lines = [f"{type(error).__name__}: {error}"]
            for line in lines:
                print(f"{case} on {ranks} ranks of {threads} threads: {line}", flush=True)
            count += len(lines)
    return count


def main():
    options = chosen_options()
    checksums, every = Checksums(), cases.all_cases()
    chosen = [case for case in every if (not options.only or case.program in options.only)
              and options.case in (None, case.name)]
    without_case = sorted(set(checksums.cases) - {case.key for case in every})
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "in"))
        inputs.write_all(os.path.join(folder, "in"))
        runs = Runs(options, folder)
        if options.write:
            options.ranks = [1]
            count = run_all(runs, chosen, options, checksums.take)
            checksums.write(without_case)
        else:
            count = run_all(runs, chosen, options, lambda *found: checksums.differences(*found, options.exact))
            for program, name in without_case:
                print(f"{program} {name}: has an entry in checksums.txt, but there is no such deck or case")
            count += len(without_case)
    print(f"{len(chosen)} cases on {', '.join(map(str, options.ranks))} ranks: {count or 'no'} differences or errors")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
