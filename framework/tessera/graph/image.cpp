// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/image.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/view/huge_pages.hpp"

namespace tessera::graph {
namespace {

using HostBytes = Kokkos::View<std::byte*, Kokkos::HostSpace>;

HostBytes allocated(const std::string& label, std::int64_t bytes) {
  HostBytes memory(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), static_cast<std::size_t>(bytes));
  prefer_huge_pages(memory.data(), memory.size());
  return memory;
}

BlockLayout layout_of(const ImageOfArray& entry) {
  return layout_in_memory(entry.planned->algorithm, entry.planned->plan, entry.array, entry.more);
}

}  // namespace

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
  const ImageOfArray entry{this, std::move(planned), array, more};
  const std::int64_t bytes = layout_of(entry).bytes;
  const bool is_new = this->bytes() < bytes;
  if (is_new) {
    *this = {};
    memory_ = allocated(array, bytes);
  }
  lay_out(entry, is_new);
}

void Image::lay_out(const ImageOfArray& entry, bool is_new) {
  const Algorithm& algorithm = entry.planned->algorithm;
  const ArrayDeclaration& declared = algorithm[algorithm.find(entry.array)];
  domain_ = declared.domain;
  type_ = declared.type;
  if (is_new)
    block_ = {layout_of(entry), memory_, HostMode::calling_thread};
  else
    block_ = {layout_of(entry), memory_};
  planned_ = entry.planned;
}

std::int64_t Image::bytes_for(const std::vector<ImageOfArray>& images) {
  return std::accumulate(images.begin(), images.end(), std::int64_t{0},
                         [](std::int64_t bytes, const ImageOfArray& entry) {
                           return bytes + aligned_bytes(layout_of(entry).bytes);
                         });
}

void Image::become_arrays(const std::vector<ImageOfArray>& images) {
  const bool is_new = std::ranges::any_of(
      images, [](const ImageOfArray& entry) { return entry.image->bytes() < layout_of(entry).bytes; });
  if (is_new) {
    // Memory that is too small is given back first.
    for (const ImageOfArray& entry : images) *entry.image = {};
    const HostBytes memory = allocated("images", bytes_for(images));
    std::size_t begin = 0;
    for (const ImageOfArray& entry : images) {
      const std::size_t end = begin + static_cast<std::size_t>(bytes_for({entry}));
      entry.image->memory_ = Kokkos::subview(memory, std::pair(begin, end));
      begin = end;
    }
  }
  for (const ImageOfArray& entry : images) entry.image->lay_out(entry, is_new);
}

HostBlock Image::points() const { return block_.host_block(domain_, block_.memory().data(), type_); }

}  // namespace tessera::graph
