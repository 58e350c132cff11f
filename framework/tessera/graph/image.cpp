// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/image.hpp"

#include <utility>

#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/view/huge_pages.hpp"

namespace tessera::graph {

void Image::become_input(std::shared_ptr<const PlannedPipeline> planned, const Box& more) {
  const std::string array = planned->input;
  become_array(std::move(planned), array, more);
}

void Image::become_output(std::shared_ptr<const PlannedPipeline> planned, const Box& more) {
  const std::string array = planned->output;
  become_array(std::move(planned), array, more);
}

void Image::become_array(std::shared_ptr<const PlannedPipeline> planned, const std::string& array,
                         const Box& more) {
  const ArrayDeclaration& declared = planned->algorithm[planned->algorithm.find(array)];
  domain_ = declared.domain;
  type_ = declared.type;
  const BlockLayout layout = layout_in_memory(planned->algorithm, planned->plan, array, more);
  if (static_cast<std::int64_t>(memory_.size()) >= layout.bytes) {
    block_ = {layout, memory_};
  } else {
    memory_ = Kokkos::View<std::byte*, Kokkos::HostSpace>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, array), static_cast<std::size_t>(layout.bytes));
    prefer_huge_pages(memory_.data(), memory_.size());
    block_ = {layout, memory_, HostMode::calling_thread};
  }
  planned_ = std::move(planned);
}

void Image::become_arrays(const std::vector<ImageOfArray>& images) {
  std::vector<std::int64_t> bytes;
  std::int64_t all = 0;
  bool is_enough = true;
  for (const auto& [image, planned, array, more] : images) {
    bytes.push_back(aligned_bytes(layout_in_memory(planned->algorithm, planned->plan, array, more).bytes));
    all += bytes.back();
    is_enough = is_enough && image->bytes() >= bytes.back();
  }
  if (!is_enough) {
    const Kokkos::View<std::byte*, Kokkos::HostSpace> memory(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "images"), static_cast<std::size_t>(all));
    prefer_huge_pages(memory.data(), memory.size());
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
      images[i].image->memory_ = Kokkos::subview(
          memory, std::pair(static_cast<std::size_t>(begin), static_cast<std::size_t>(begin + bytes[i])));
      begin += bytes[i];
    }
  }
  for (const auto& [image, planned, array, more] : images) image->become_array(planned, array, more);
}

HostBlock Image::points() const { return block_.host_block(domain_, block_.memory().data(), type_); }

}  // namespace tessera::graph
