// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "graph_program.hpp"
#include "program.hpp"

namespace flow {

using namespace tessera;
using deck::KeyDeclaration, deck::ValueType;

namespace {

KeyDeclaration of_files(const char* name, ValueType type, const char* help) {
  return {.name = name, .type = type, .group = "Files", .help = help};
}

}  // namespace

KeyDeclaration run_key() {
  return {.name = "run",
          .type = ValueType::choice,
          .group = "Flow",
          .help =
              "How the flow is computed: by one pipeline on all ranks, or, of a series, by a graph in which "
              "several pairs are in different turns at the same time; --help run=graph prints its keys",
          .default_text = "pipeline",
          .choices = {"pipeline", "graph"}};
}

std::vector<KeyDeclaration> graph_keys() {
  std::vector<KeyDeclaration> keys{
      of_files("input.files", ValueType::paths,
               "The frames of the series, in their order: files, or patterns such as frames/*.png"),
      of_files("input.video", ValueType::path, "A video instead of files, whose frames are the series"),
      of_files("output.files", ValueType::path,
               "The flows, such as flow/{index}.flo: {index} stands for the number of the pair from 0 on, "
               "{name} for the name of its first frame, or of the video; .flo or .h5"),
      of_files("output.pictures", ValueType::path,
               "Pictures of the flows in colours, drawn over the first frames of the pairs, such as "
               "flow/{index}.png"),
      of_files("output.video", ValueType::path,
               "The video of these pictures: .mkv without loss, .mp4 with loss"),
      of_files("input.dataset", ValueType::text,
               "The data set of HDF5 files, the extension of FITS files (its name or number); without it, "
               "the only one, the first image"),
      {.name = "input.page",
       .type = ValueType::integer,
       .group = "Files",
       .help = "The page of TIFF files, from 0 on; without it, the first",
       .minimum = 0,
       .maximum = std::numeric_limits<int>::max()},
      of_files("truth.files", ValueType::paths,
               "The true flows of the pairs, for the errors of the results: one file for each pair, or "
               "patterns such as truth/*.flo"),
      of_files("truth.dataset", ValueType::text,
               "The data set of HDF5 files of true flows; without it, the only one"),
      run_key()};
  for (const std::vector<KeyDeclaration>& more :
       {picture_keys(
            "The weight of the colours where they are drawn over the frames, from 0 to 1; without it "
            "0.5"),
        level_keys(), method_keys()})
    keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

}  // namespace flow
