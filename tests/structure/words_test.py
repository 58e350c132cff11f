#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/words finds phrases of its list in comments, texts and pages, also across lines, and nothing else."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/words"
LIST = "# Words\n\n| instead of | write |\n| --- | --- |\n| `odd phrase` | 'plain phrase' |\n| `/// Odd` | a subject |\n"


class WordsTest(unittest.TestCase):
    def check(self, name, text, contributing=LIST):
        """Returns the exit status and the output for a repository of one file and CONTRIBUTING.md."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["git", "init", "--quiet", folder], check=True)
            (pathlib.Path(folder) / name).write_text(text)
            (pathlib.Path(folder) / "CONTRIBUTING.md").write_text(contributing)
            ending = subprocess.run([sys.executable, SCRIPT, "--check", "--root", folder], capture_output=True, text=True)
            return ending.returncode, ending.stdout + ending.stderr

    def expect_found(self, name, text, line):
        status, output = self.check(name, text)
        self.assertEqual(status, 1, output)
        self.assertIn(f"{name}:{line}:", output)

    def test_phrases_are_found_in_comments_texts_and_pages(self):
        self.expect_found("a.cpp", "int a;  // An odd phrase.\n", 1)
        self.expect_found("a.py", "# Fine.\nprint('Odd phrase')\n", 2)
        self.expect_found("a.md", "An odd phrase.\n", 1)
        self.expect_found("a.hpp", "/// Odd things.\n", 1)

    def test_phrases_are_found_across_lines(self):
        self.expect_found("a.cpp", "\n/// An odd\n/// phrase.\n", 2)
        self.expect_found("a.cpp", 'f("an odd "\n  "phrase");\n', 1)

    def test_other_words_pass(self):
        status, output = self.check("a.cpp", "/// Returns odd phrases. An odd, phrase.\nint odd_phrase;\n")
        self.assertEqual((status, output), (0, "2 phrases, 0 places\n"))

    def test_the_list_must_be_there(self):
        status, output = self.check("a.cpp", "int a;\n", contributing="# Words\n")
        self.assertEqual(status, 1)
        self.assertIn("has no table", output)


unittest.main()
