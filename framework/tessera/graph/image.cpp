// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/image.hpp"

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
  const Algorithm& algorithm = planned->algorithm;
  const BlockLayout layout = layout_in_memory(algorithm, planned->plan, array, more);
  const bool is_new = bytes() < layout.bytes;
  if (is_new) {
    *this = {};
    memory_ = allocated(array, layout.bytes);
  }
  const ArrayDeclaration& declared = algorithm[algorithm.find(array)];
  domain_ = declared.domain;
  type_ = declared.type;
  // The calling thread touches memory that is new.
  if (is_new)
    block_ = {layout, memory_, HostMode::calling_thread};
  else
    block_ = {layout, memory_};
  planned_ = std::move(planned);
}

HostBlock Image::points() const { return block_.host_block(domain_, block_.memory().data(), type_); }

}  // namespace tessera::graph
