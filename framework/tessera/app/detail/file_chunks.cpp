// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/file_chunks.hpp"

#include <algorithm>

#include "tessera/app/detail/hdf5_results.hpp"

namespace tessera::app {

std::vector<ChunkRows> file_chunks(const RunSetup& setup) {
  const Algorithm& pipeline = *setup.pipeline;
  const io::Hdf5Storage storage = hdf5_storage(setup.deck);
  const bool has_chunks = setup.deck.is_set("output.file") && storage.has_chunks();
  std::vector<ChunkRows> chunks;
  for (int id = 0; id < pipeline.size(); ++id) {
    const ArrayDeclaration& array = pipeline[id];
    if (has_chunks && array.is_output && !array.is_everywhere() && array.dimensions > 1)
      chunks.push_back({id, storage.chunk_points(1, array.domain[1].size())});
  }
  // Clang 14 cannot compile std::ranges::stable_partition with the library of g++ 12.
  std::stable_partition(chunks.begin(), chunks.end(),
                        [&](const ChunkRows& chunk) { return &pipeline[chunk.array] == setup.result(); });
  for (int id = 0; id < pipeline.size(); ++id) {
    const io::ImageInfo* image = setup.inputs.image(pipeline[id].name);
    if (pipeline[id].is_input() && image != nullptr && image->chunk_rows > 1)
      chunks.push_back({id, image->chunk_rows});
  }
  return chunks;
}

}  // namespace tessera::app
