# SPDX-License-Identifier: BSD-3-Clause
"""tessera-flow on the frames of a video, and the video of its pictures, which OpenCV reads. The test writes Y4M by itself.

usage: flow_video_test.py FOLDER_OF_PROGRAMS FOLDER_OF_DECKS MPIEXEC COUNT_FLAG
"""
import os
import sys
import unittest

import cv2
import numpy as np

# Python must not write compiled modules beside the sources.
sys.dont_write_bytecode = True

from program_runs import ProgramRuns

HEIGHT, WIDTH, FRAMES = 30, 42, 6
METHOD = ("scales=2", "warps=2", "turns=10", "threads=1", "picture.scale=2", "picture.blend=0.4")


def frame(number):
    """The grey values of a frame. Each frame moves farther than the one before."""
    y, x = np.mgrid[:HEIGHT, :WIDTH].astype("f8")
    x, y = x - 0.3 * number * number, y + 0.2 * number
    return np.rint(120 + 60 * np.sin(0.31 * x + 0.1 * y) + 50 * np.cos(0.27 * y - 0.1 * x)).astype("u1")


def y4m(frames):
    header = f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F12:1 Ip A1:1 Cmono\n".encode()
    return header + b"".join(b"FRAME\n" + frame(number).tobytes() for number in range(frames))


class FlowVideo(ProgramRuns):
    def setUp(self):
        super().setUp()
        self.write("clip.y4m", y4m(FRAMES))

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)

    def frames_of(self, name):
        video = cv2.VideoCapture(self.path(name))
        self.assertAlmostEqual(video.get(cv2.CAP_PROP_FPS), 12, delta=1e-3)
        frames = []
        while True:
            is_read, image = video.read()
            if not is_read:
                return frames
            frames.append(image)

    def test_the_video_has_the_pictures_of_files_in_their_order(self):
        for number in range(FRAMES):
            self.store(f"f{number}.h5", frame(number))
        self.output("flow", 0, "input.files=f?.h5", "output.files=p{index}.png", *METHOD)
        pictures = [cv2.imread(self.path(f"p{number}.png")) for number in range(FRAMES - 1)]
        video, files = ("input.video=clip.y4m",), ("input.files=f?.h5", "output.frame_rate=12")
        for ranks, words in ((0, video), (2, (*video, "graph.window=1")), (3, (*video, "graph.window=9", "graph.flow.workers=1")),
                             (4, video), (0, files), (3, files), (3, (*files, "items.across=ranks"))):
            self.output("flow", ranks, f"output.video=o{ranks}.mkv", *METHOD, *words)
            found = self.frames_of(f"o{ranks}.mkv")
            self.assertEqual(len(found), FRAMES - 1)
            for one, other in zip(found, pictures):
                self.assertTrue(np.array_equal(one, other), ranks)

    def test_check_counts_frames(self):
        text = self.output("flow", 0, "input.video=clip.y4m", "output.video=o.mkv", *METHOD, "--check")
        self.assertIn(f", {FRAMES} frames, which would become", text)

    def test_bad_input(self):
        def refused(*words, ranks=0):
            line = self.refused("flow", ranks, "output.video=o.mkv", *METHOD, *words)
            self.assertFalse([name for name in os.listdir(self.folder) if name.startswith("o")])
            return line

        self.write("single.y4m", y4m(1))
        self.write("cut.y4m", y4m(4)[:-100])
        for ranks in (0, 3):
            self.expect_message(refused("input.video=single.y4m", ranks=ranks), "'input.video':", "there is only one")
            self.expect_message(refused("input.video=cut.y4m", ranks=ranks), "cut.y4m:", "damaged or truncated at frame 3")
        self.expect_message(refused("input.video=clip.y4m", "input.second=clip.y4m"), "'input.second':", "goes with the next one")
        self.assertIn("each frame goes with the next one, and one rank computes with both: write program.allocation=whole",
                      refused("input.video=clip.y4m", "program.allocation=data"))


if __name__ == "__main__":
    programs, FlowVideo.decks, mpiexec, count_flag = sys.argv[1:]
    FlowVideo.launch_with(programs, mpiexec, count_flag)
    unittest.main(argv=sys.argv[:1])
