# SPDX-License-Identifier: BSD-3-Clause
"""How tests in Python run programs, and read and write the images of these.

Such a test begins with its command line: `programs, ..., mpiexec, count_flag = sys.argv[1:]`, and
`ProgramRuns.launch_with(programs, mpiexec, count_flag)`.
"""
import os
import pathlib
import subprocess
import tempfile
import unittest

import h5py

MESSAGES = pathlib.Path(__file__).resolve().parent.parent / "messages.txt"


class ProgramRuns(unittest.TestCase):
    """Each test has a folder of its own, in which the programs run."""

    @classmethod
    def launch_with(cls, programs, mpiexec, count_flag):
        cls.programs, cls.launcher = programs, (mpiexec, count_flag)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def ending(self, program, ranks, *words, timeout=120):
        """How a run ended. Without a number of ranks the program is started without mpiexec. A program is one of the
        applications, or a path."""
        launcher = [*self.launcher, str(ranks)] if ranks else []
        path = program if "/" in program else f"{self.programs}/tessera-{program}"
        return subprocess.run([*launcher, path, *words], cwd=self.folder, capture_output=True,
                              text=True, check=False, timeout=timeout)

    def output(self, program, ranks, *words, **keys):
        """Runs a program, which must end well, and returns what it prints."""
        ended = self.ending(program, ranks, *words, **keys)
        self.assertEqual(ended.returncode, 0, ended.stdout[-2000:] + ended.stderr)
        return ended.stdout

    def refused(self, program, ranks, *words, **keys):
        """The line with which a program refuses its input."""
        ended = self.ending(program, ranks, *words, **keys)
        self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
        self.assertEqual(len(ended.stderr.strip().splitlines()), 1, ended.stderr)
        return ended.stderr

    def expect_message(self, message, *words):
        """As expect_message of messages.hpp: a message has these words, and is the text that tests/messages.txt has."""
        def on_one_line(text):
            return text.replace("\\", "\\\\").replace("\n", "\\n")

        for word in words:
            self.assertIn(word, message)
        test = ".".join(self.id().split(".")[-2:])
        text = on_one_line(message)
        folder = os.environ.get("TESSERA_MESSAGES")
        if folder:
            with open(f"{folder}/{os.getpid()}", "a", encoding="utf-8", newline="\n") as file:
                file.write(f"{test}: {text}\n")
            return
        with open(MESSAGES, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            texts = [line[len(test) + 2:-1] for line in file if line.startswith(f"{test}: ")]
        self.assertIn(text, texts, "if the message is as it should be, run scripts/messages")

    def store(self, name, image, dataset="image"):
        with h5py.File(self.path(name), "w") as file:
            file[dataset] = image

    def stored(self, name, dataset=None):
        """A data set of a file, or its only one."""
        with h5py.File(self.path(name)) as file:
            return file[next(iter(file)) if dataset is None else dataset][...]
